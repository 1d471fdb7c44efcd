import PasteboardWire

/// The arguments of a command, taken apart by its table.
///
/// `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, flags together as `-ab`; `--` ends the options. Options and
/// operands may be mixed.
struct ParsedArguments {
    private(set) var operands: [String] = []
    /// By the option's first name.
    private var given: [String: [String]] = [:]

    init(_ arguments: [String], for syntax: CommandSyntax) throws(CommandFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                self.operands += rest
                break
            } else if argument.hasPrefix("--") {
                try self.takeLong(argument, &rest, syntax)
            } else if argument.hasPrefix("-"), argument != "-" {
                try self.takeShort(argument, &rest, syntax)
            } else {
                self.operands.append(argument)
            }
        }
        if syntax.operands == nil, let first = self.operands.first, !self.has("--help") {
            throw CommandFailure(usage: "'\(first)' is one argument too many; see pasteboard \(syntax.name) --help")
        }
    }

    func has(_ name: String) -> Bool {
        self.given[name] != nil
    }

    /// All values of an option that may be repeated.
    func values(_ name: String) -> [String] {
        self.given[name] ?? []
    }

    /// The value of an option that is given at most once.
    func value(_ name: String) throws(CommandFailure) -> String? {
        let values = self.values(name)
        guard values.count <= 1 else { throw CommandFailure(usage: "\(name) is given \(values.count) times") }
        return values.first
    }

    /// The pasteboard that is meant.
    func board() throws -> String {
        let given = try self.value("--board")
        guard !self.has("--primary") else {
            guard given == nil else { throw CommandFailure(usage: "--board and --primary exclude each other") }
            return "primary"
        }
        guard let name = given else { return BoardName.general }
        try BoardName.check(name)
        return name
    }

    private mutating func takeLong(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        _ syntax: CommandSyntax
    ) throws(CommandFailure) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let option = try self.option(parts[0], syntax)
        let attached = parts.count == 2 ? parts[1] : nil
        if option.value == nil, attached != nil {
            throw CommandFailure(usage: "\(parts[0]) takes no value")
        }
        try self.note(option, spelled: parts[0], attached, &rest)
    }

    private mutating func takeShort(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        _ syntax: CommandSyntax
    ) throws(CommandFailure) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            let option = try self.option("-\(letter)", syntax)
            if option.value == nil {
                try self.note(option, spelled: "-\(letter)", nil, &rest)
            } else {
                return try self.note(option, spelled: "-\(letter)", letters.isEmpty ? nil : String(letters), &rest)
            }
        }
    }

    private func option(_ spelling: String, _ syntax: CommandSyntax) throws(CommandFailure) -> CommandSyntax.Option {
        guard let option = syntax.option(spelling) else {
            let suggestion = Suggestion(for: spelling, among: syntax.options.flatMap(\.names))
            let advice = suggestion.question ?? "see pasteboard \(syntax.name) --help"
            throw CommandFailure(usage: "there is no option '\(spelling)'; \(advice)")
        }
        return option
    }

    private mutating func note(
        _ option: CommandSyntax.Option,
        spelled spelling: String,
        _ attached: String?,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) {
        guard let placeholder = option.value else {
            self.given[option.names[0]] = []
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandFailure(usage: "\(spelling) needs a value: \(spelling) \(placeholder)")
        }
        self.given[option.names[0], default: []].append(value)
    }
}
