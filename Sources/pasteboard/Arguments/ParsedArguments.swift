import PasteboardTransport
import PasteboardWire

/// The arguments of a command, parsed by its syntax table.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, `-n=VALUE`, flags together as `-ab`; `--` ends the options.
/// Options and operands may be mixed. Paths are bytes, which need not be UTF-8; any other value is text.
struct ParsedArguments: Sendable {
    private static let dash = UInt8(ascii: "-")

    private(set) var operands: [SystemString] = []
    /// The values of each option, by its first name.
    private var given: [String: [SystemString]] = [:]

    init(_ arguments: [SystemString], for syntax: CommandSyntax) throws(CommandFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            } else if argument.bytes.first == Self.dash, argument != "-" {
                try parse(argument, &rest, syntax)
            } else {
                operands.append(argument)
            }
        }
        if syntax.operands == nil, let first = operands.first, !has("--help") {
            throw CommandFailure(usage: "unexpected argument '\(first)'; see pasteboard \(syntax.name) --help")
        }
    }

    func has(_ name: String) -> Bool {
        given[name] != nil
    }

    /// All values of an option that may be repeated, as the user wrote them.
    func bytes(_ name: String) -> [SystemString] {
        given[name] ?? []
    }

    /// The value that ends with a byte, and its option.
    func value(endingWith byte: UInt8) -> (option: String, value: SystemString)? {
        for (option, values) in given {
            if let value = values.last, value.bytes.last == byte { return (option, value) }
        }
        return nil
    }

    /// All values of an option that may be repeated.
    func values(_ name: String) throws(CommandFailure) -> [String] {
        var values: [String] = []
        for bytes in self.bytes(name) { values.append(try Self.text(bytes, of: name)) }
        return values
    }

    /// The value of an option that may occur at most once.
    func value(_ name: String) throws(CommandFailure) -> String? {
        guard let bytes = try path(name) else { return nil }
        return try Self.text(bytes, of: name)
    }

    /// The value of an option that may occur at most once and is a path.
    func path(_ name: String) throws(CommandFailure) -> SystemString? {
        let values = bytes(name)
        guard values.count <= 1 else {
            throw CommandFailure(usage: "option \(name) is given \(values.count) times; give it once")
        }
        return values.first
    }

    /// A value that is a name or a number. Invalid UTF-8 is not repaired, because the result might name another object.
    private static func text(_ bytes: SystemString, of name: String) throws(CommandFailure) -> String {
        guard let text = bytes.text else {
            throw CommandFailure(usage: "invalid value '\(bytes)' of \(name): it is not UTF-8")
        }
        return text
    }

    /// The names of the pasteboards, each once.
    func boards() throws -> [String] {
        let given = try values("--board")
        guard given.count > 1, !has("--primary") else { return [try board()] }
        for name in given { try BoardName.check(name) }
        return given.enumerated().filter { !given[..<$0.offset].contains($0.element) }.map(\.element)
    }

    /// The name of the pasteboard.
    func board() throws -> String {
        let given = try value("--board")
        guard !has("--primary") else {
            guard given == nil else { throw CommandFailure(usage: "options --board and --primary cannot be combined") }
            return "primary"
        }
        guard let name = given else { return BoardName.general }
        try BoardName.check(name)
        return name
    }

    /// Parses an option, or the options of several letters.
    private mutating func parse(
        _ argument: SystemString,
        _ rest: inout ArraySlice<SystemString>,
        _ syntax: CommandSyntax
    ) throws(CommandFailure) {
        let isShort = !argument.bytes.starts(with: [Self.dash, Self.dash])
        let sign = UInt8(ascii: "=")
        var text = argument.bytes.dropFirst(isShort ? 1 : 0)
        repeat {
            let end = isShort ? text.startIndex + 1 : text.firstIndex(of: sign) ?? text.endIndex
            // A short option is one ASCII letter. For anything else the message shows the whole argument.
            let isLetter = isShort && text[text.startIndex] < 0x80
            let name =
                isLetter ? SystemString([Self.dash] + text[..<end]) : isShort ? argument : SystemString(text[..<end])
            let option = try self.option(name.description, syntax)
            text = text[end...]
            guard let placeholder = option.value else {
                guard isShort || text.isEmpty else { throw CommandFailure(usage: "option \(name) takes no value") }
                given[option.names[0]] = []
                continue
            }
            let attached = text.isEmpty ? nil : SystemString(text.first == sign ? text.dropFirst() : text)
            guard let value = attached ?? rest.popFirst() else {
                throw CommandFailure(usage: "option \(name) needs a value; write \(name) \(placeholder)")
            }
            given[option.names[0], default: []].append(value)
            return
        } while !text.isEmpty
    }

    private func option(_ spelling: String, _ syntax: CommandSyntax) throws(CommandFailure) -> CommandSyntax.Option {
        guard let option = syntax.option(spelling) else {
            let suggestion = Suggestion(for: spelling, among: syntax.options.flatMap(\.names))
            let advice = suggestion.question ?? "see pasteboard \(syntax.name) --help"
            throw CommandFailure(usage: "unknown option '\(spelling)'; \(advice)")
        }
        return option
    }
}
