import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Standard output that is a terminal. It gets only text, without control sequences.
final class TerminalOutput: PasteSink {
    private let endsLine: Bool
    private var text = VisibleText()
    private var type = UniformType.data
    private var isText = true
    private var isInLine = false
    /// Whether the text had another encoding.
    private var isConverted = false

    var leavesFile: Bool { false }
    var descriptor: CInt? { nil }

    /// - Parameter endsLine: whether text without a newline at its end gets one, so that the prompt does not stick to
    ///   it.
    init(endsLine: Bool) {
        self.endsLine = endsLine
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        try check(type, isArchive: isArchive)
    }

    func check(_ type: UniformType, isArchive: Bool) throws {
        self.type = type
        guard !isArchive else {
            throw CommandFailure(
                usage:
                    "cannot write a folder to a terminal; use --into DIR for its tree, or -o FILE.tar or a pipe for an archive"
            )
        }
        isText = type.conforms(to: .text)
        isConverted = type.hasForeignEncoding
        // A picture is refused before its bytes arrive. Some other types are text: certificates, drawings, links.
        let families: [UniformType] = [.image, .audiovisualContent, .archive, .executable, .font]
        guard isText || !families.contains(where: type.conforms) else { throw refusal }
    }

    func write(_ bytes: Span<UInt8>) throws {
        // In other encodings NUL is no sign of binary data.
        if !isConverted { for index in bytes.indices where bytes[index] == 0 { throw refusal } }
        // The first chunk decides: a later one may begin inside a character.
        guard isText || UTF8Scan.isText(bytes, isWhole: false) else { throw refusal }
        isText = true
        try show(text.append(bytes))
    }

    func finish() throws -> [SystemString] {
        try show(text.finish())
        if endsLine { endLine() }
        guard text.escapedCount > 0, !Invocation.current.isQuiet else { return [] }
        endLine()
        let bytes = text.escapedCount == 1 ? "1 unsafe byte is" : "\(text.escapedCount) unsafe bytes are"
        StandardStreams.remark(
            "\(bytes) shown as ^X or \\xNN; use --raw to write the text unchanged"
        )
        return []
    }

    func endLine() {
        // Errors are ignored: if this fails, the terminal shows nothing that follows either.
        if isInLine { try? StandardStreams.print("\n") }
        isInLine = false
    }

    private func show(_ bytes: [UInt8]) throws {
        try StandardStreams.write(bytes.span)
        if let last = bytes.last { isInLine = last != UInt8(ascii: "\n") }
    }

    func failure(_ error: SystemError) -> (any Error)? { StandardStreams.failure(error) }

    private var refusal: CommandFailure {
        let type = UniformType.readable(self.type.identifier)
        return CommandFailure(
            usage: "cannot write \(type) to a terminal, because its bytes are not text; use -o FILE, a pipe, or --raw"
        )
    }
}
