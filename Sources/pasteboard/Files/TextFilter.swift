import PasteboardClient
import PasteboardTransport
import TypeIdentifiers

/// Changes text between a pasteboard and a file, chunk by chunk: converts it to UTF-8, replaces line endings, and adds
/// or omits the last newline.
struct TextFilter {
    enum LineEnding {
        case lf
        case crlf
    }

    /// The changes that a user has requested.
    struct Options {
        /// Whether text in another encoding becomes UTF-8.
        var convertsToUTF8 = false
        /// The line endings of text; nil leaves them as they are.
        var lineEnding: LineEnding?
        /// Whether one newline at the end is omitted.
        var trimsNewline = false
        /// Whether a newline follows text.
        var addsNewline = false
    }

    fileprivate static let newline = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private var options: Options
    private var reader: TextReader?
    /// Whether a CR, or a newline, at the end of the last chunk is held until the next chunk decides about it.
    private var holdsReturn = false
    private var holdsNewline = false

    /// Whether the bytes are passed on unchanged.
    var isEmpty: Bool { reader == nil && options.lineEnding == nil && !options.trimsNewline && !options.addsNewline }
    /// Whether the only change is the end of the bytes, which can also be cut off when all are there.
    var onlyTrims: Bool { reader == nil && options.lineEnding == nil && !options.addsNewline }

    /// - Parameter type: the type of the bytes; nil if it is not known yet.
    init(_ options: Options, type: UniformType?) {
        self.options = options
        let isText = type?.isText ?? true
        if !isText { (self.options.lineEnding, self.options.addsNewline) = (nil, false) }
        guard isText, let type else { return }
        let encoding = type.textEncodingName
        if options.convertsToUTF8 {
            if encoding == nil || type.hasForeignEncoding { reader = TextReader(of: type) }
        } else if let encoding, type.hasForeignEncoding, !TextReader.hasPlainNewlines(encoding) {
            self.options = Options()
        }
    }

    mutating func next(_ bytes: Span<UInt8>) throws(SystemError) -> [UInt8] {
        guard let text = try reader?.next(bytes) else { return lines(of: bytes) }
        return lines(of: text.span)
    }

    /// Returns what follows the last chunk.
    mutating func finish() throws(SystemError) -> [UInt8] {
        let rest = try reader?.finish() ?? []
        var output = lines(of: rest.span)
        if holdsReturn { append(Self.carriageReturn, to: &output) }
        if options.addsNewline { endLine(&output) }
        (holdsReturn, holdsNewline) = (false, false)
        return output
    }

    private mutating func lines(of bytes: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 2)
        guard options.lineEnding != nil || options.trimsNewline else {
            output.append(copying: bytes)
            return output
        }
        for index in bytes.indices {
            let byte = bytes[index]
            if holdsReturn, byte != Self.newline { append(Self.carriageReturn, to: &output) }
            holdsReturn = byte == Self.carriageReturn && options.lineEnding != nil
            if !holdsReturn { append(byte, to: &output) }
        }
        return output
    }

    private mutating func append(_ byte: UInt8, to output: inout [UInt8]) {
        if holdsNewline { endLine(&output) }
        holdsNewline = byte == Self.newline && options.trimsNewline
        guard !holdsNewline else { return }
        if byte == Self.newline { endLine(&output) } else { output.append(byte) }
    }

    private func endLine(_ output: inout [UInt8]) {
        if options.lineEnding == .crlf { output.append(Self.carriageReturn) }
        output.append(Self.newline)
    }
}

extension MemoryFile {
    /// Cuts off a newline at the end.
    func trimNewline() throws(SystemError) {
        let size = try self.size
        guard size > 0, try System.bytes(of: descriptor.raw, from: size - 1, count: 1) == [TextFilter.newline] else {
            return
        }
        try System.truncate(descriptor.raw, to: size - 1)
    }
}

extension CommandSyntax.Option {
    static let lf = Self("--lf", "ends each line of text with LF")
    static let crlf = Self("--crlf", "ends each line of text with CR LF")
}

extension ParsedArguments {
    /// The changes to text that the options request.
    func textOptions() throws -> TextFilter.Options {
        guard !has("--lf") || !has("--crlf") else {
            throw CommandFailure(usage: "options --lf and --crlf cannot be combined")
        }
        var options = TextFilter.Options()
        options.lineEnding = has("--lf") ? .lf : has("--crlf") ? .crlf : nil
        options.trimsNewline = has("--trim-newline")
        options.addsNewline = has("--newline")
        return options
    }
}
