import BrokerState
import PasteboardTransport
import PasteboardWire

/// Reads an input as the arguments of a command, one a line, and parses each as every kind of value. Texts that the
/// command line prints must not change a terminal.
struct ArgumentScript {
    private let bytes: [UInt8]

    private static let syntax = CommandSyntax(
        "paste",
        "pastes",
        operands: "FILE",
        options: [
            .board, .primary, .quiet, .json, CommandSyntax.Option("--type", short: "-t", value: "TYPE", "a type"),
            CommandSyntax.Option("--timeout", value: "DURATION", "a duration"),
        ]
    )

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func run() {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(64)
        parse(lines.map { SystemString($0) })
        for line in lines {
            let argument = SystemString(line)
            _ = try? TypeArgument(giving: argument)
            guard let text = argument.text else { continue }
            parse(text)
        }
        show()
    }

    private func parse(_ arguments: [SystemString]) {
        do {
            let parsed = try ParsedArguments(arguments, for: Self.syntax)
            check(parsed.operands.count <= arguments.count, "there are more operands than arguments")
            _ = try parsed.board()
            _ = try parsed.value("--timeout")
            for type in parsed.bytes("--type") { _ = try TypeArgument(giving: type) }
        } catch {
            let failure = CommandFailure(error)
            check(failure.text?.isEmpty == false && failure.exitCode > 0, "an error without a text")
        }
    }

    private func parse(_ text: String) {
        if let timeout = try? TimeoutArgument(text) {
            check(timeout.milliseconds != 0, "'\(text)' is no duration above zero")
            _ = timeout.deadline
        }
        var limits = BrokerLimits()
        do throws(Failure) {
            try limits.set(text)
            check(text.contains("="), "'\(text)' sets a limit")
        } catch {
            check(limits == BrokerLimits() && error.code == .invalidArgument, "'\(text)' fails with \(error)")
        }
        if let types = try? TypeArgument.types(text) { check(!types.isEmpty, "'\(text)' accepts no type") }
        if let word = Suggestion(for: text, among: ["--board", "paste", "copy", "--type"]).word {
            check(["--board", "paste", "copy", "--type"].contains(word), "an unknown suggestion")
        }
        if (try? BoardName.check(text)) != nil { check(text.utf8.count <= WireLimits.name, "a name is too long") }
        _ = HelpText.paragraphs(text)
        _ = HelpText.rows([(name: text, meaning: text)])
        _ = TextTable.text([[text, "a"], ["b", text]])
        let json = JSONValue.object([(text, .array([.string(text), .null]))]).line
        check(Self.isHarmless(json.dropLast()), "JSON of '\(text)' has controls")
        check(Self.isHarmless(VisibleText.line(text)), "'\(text)' is shown with controls")
    }

    /// Shows the bytes as the contents of a text, whole and in pieces.
    private func show() {
        let whole = Self.shown([bytes])
        check(Self.shown(bytes.map { [$0] }) == whole, "a text is shown in two ways")
        let middle = bytes.count / 2
        check(Self.shown([Array(bytes[..<middle]), Array(bytes[middle...])]) == whole, "a text is shown in two ways")
        guard let text = String(validating: whole, as: UTF8.self) else { fault("a shown text is not UTF-8") }
        check(Self.isHarmless(text), "a text is shown with controls")
    }

    private static func shown(_ pieces: [[UInt8]]) -> [UInt8] {
        var text = VisibleText()
        var shown: [UInt8] = []
        for piece in pieces { shown += text.append(piece.span) }
        return shown + text.finish()
    }

    /// Whether a terminal only shows the text. Tabs and ends of lines, also of two characters, are part of it.
    private static func isHarmless(_ text: some StringProtocol) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.allSatisfy { index in
            switch scalars[index] {
            case "\t", "\n": true
            case "\r": index + 1 < scalars.count && scalars[index + 1] == "\n"
            default: !scalars[index].isHarmful
            }
        }
    }
}
