import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The FILE and `-t` arguments of `copy`, `drag` and `offer`: the files to read, and their types.
struct InputArguments {
    private let command: String
    private let name: String?
    private let title: String?
    private let textOptions: TextFilter.Options
    private let types: [TypeArgument]
    /// The files to read; nil for standard input. Empty if `types` or `words` name what is read.
    private let files: [SystemString?]
    /// The operands if they are a text, which replaces standard input.
    private let words: [SystemString]?

    init(_ arguments: ParsedArguments, of command: String) throws {
        self.command = command
        name = try arguments.value("--name")
        title = try arguments.title()
        words = arguments.has("--echo") ? arguments.operands : nil
        textOptions = try arguments.textOptions()
        types = try TypeArgument.giving(arguments.bytes("--type"))
        let files: [SystemString?] = words == nil ? arguments.operands.map { $0 == "-" ? nil : $0 } : []
        self.files = files.isEmpty && types.isEmpty ? [nil] : files
        let streams = types.count { $0.origin == nil || $0.origin == "-" }
        guard words?.isEmpty != true else { throw CommandFailure(usage: "missing words; write -e WORD ...") }
        guard words == nil || types.isEmpty || streams > 0 else {
            throw CommandFailure(usage: "the words have no type; add -t TYPE, for example -t text")
        }
        guard streams <= 1 else {
            throw CommandFailure(usage: "only one -t TYPE can be without =FILE; write -t TYPE=FILE for the others")
        }
        guard files.isEmpty || types.allSatisfy({ $0.origin == nil }) else {
            let way = "write '\(arguments.operands[0])' as -t TYPE=FILE, too"
            throw CommandFailure(usage: "-t TYPE=FILE cannot be combined with FILE; \(way)")
        }
        guard files.count(where: { $0 == nil }) <= 1 else {
            throw CommandFailure(usage: "standard input ('-') is given more than once; give it once")
        }
        for option in ["--name", "--title"] where arguments.has(option) && files.count > 1 {
            throw CommandFailure(usage: "option \(option) is for a single item, but \(files.count) files are given")
        }
        guard files.count <= WireLimits.items else {
            throw Failure(
                .limitExceeded,
                "cannot \(command) \(files.count) files, because a pasteboard holds at most \(WireLimits.items) items; \(command) "
                    + "their directory, or an archive: tar c FILE ... | pasteboard \(command) -t .tar"
            )
        }
        try Self.check(types.count, for: command)
    }

    /// Throws if an item cannot have so many types.
    static func check(_ count: Int, for command: String) throws(Failure) {
        guard count <= WireLimits.representations else {
            throw Failure(
                .limitExceeded,
                "cannot \(command) \(count) types, because an item has at most \(WireLimits.representations)"
            )
        }
    }

    /// Opens all inputs.
    func items() throws -> [InputItem] {
        var contradicted: [(name: String, file: FileType)] = []
        let items = try self.items(&contradicted)
        Self.note(contradicted)
        guard !Invocation.current.isQuiet else { return items }
        let specials = items.lazy.flatMap(\.inputs).compactMap(\.folder).reduce(0) { $0 + $1.countSpecials() }
        if specials > 0 {
            StandardStreams.remark(
                "\(specials.counted("special file")) (pipes, sockets, devices) in the directory will be missing where it is pasted with "
                    + "--into or dropped"
            )
        }
        return items
    }

    /// Reports the files whose contents contradict the extension of their name. The extension decides.
    private static func note(_ contradicted: [(name: String, file: FileType)]) {
        guard let (name, file) = contradicted.first, let contents = file.contradiction else { return }
        let others = contradicted.count - 1
        // -t sets the type of all files, so it is suggested only for a single one.
        let way =
            others == 0
            ? "-t \(contents) overrides it" : "\(others) more \(others == 1 ? "file is" : "files are") like it"
        StandardStreams.remark(
            "\(name) has the extension of \(file.type) but the contents of \(contents); the extension decides; \(way)"
        )
    }

    private func items(_ contradicted: inout [(name: String, file: FileType)]) throws -> [InputItem] {
        guard files.isEmpty else {
            return try files.map { path in
                let input = try open(path)
                let type = try self.type(of: input, named: path, &contradicted)
                return InputItem(name: name, title: title, representations: [(type, .input(input))])
            }
        }
        let representations = try types.map { argument in
            let input = try open(argument.origin == "-" ? nil : argument.origin)
            return (type: try check(argument.type, for: input), origin: AskOrigin.input(input))
        }
        return [InputItem(name: name, title: title, representations: representations)]
    }

    private func type(
        of input: InputBytes,
        named path: SystemString?,
        _ contradicted: inout [(name: String, file: FileType)]
    ) throws -> UniformType {
        if let type = types.first?.type { return try check(type, for: input) }
        if input.folder != nil { return .folder }
        let file = try input.fileType(named: [name, path?.description].compactMap(\.self))
        if file.contradiction != nil { contradicted.append((input.name, file)) }
        return try check(file.type, for: input)
    }

    /// Refuses a file type for a folder: a destination would take the archive for a file of that type.
    private func check(_ type: UniformType, for input: InputBytes) throws -> UniformType {
        let isFolders = type.conforms(to: .directory)
        guard input.folder == nil || isFolders else {
            throw CommandFailure(usage: "\(input.name) is a directory, but \(type) is a type of files; omit -t")
        }
        guard input.folder != nil || !isFolders else {
            throw CommandFailure(
                usage: "\(input.name) is not a directory, but \(type) is a type of directories; omit -t"
            )
        }
        if input.folder == nil { input.filter = TextFilter(textOptions, type: type) }
        return type
    }

    private func open(_ path: SystemString?) throws -> InputBytes {
        if path == nil, let words { return InputBytes(words: words) }
        if path == nil, System.isTerminal(0) {
            StandardStreams.remark("reading from the terminal; press Ctrl-D to end")
        }
        return try InputBytes(path)
    }
}

extension CommandSyntax.Option {
    static let type = Self("--type", short: "-t", value: "TYPE", "the type of standard input, or of all FILEs")
    static let typedFile = Self("--type", short: "-t", value: "TYPE=FILE", "one more type of a single item; repeatable")
    static let title = Self("--title", value: "TEXT", "a title for people to read, which info shows")
}

extension ParsedArguments {
    /// The title of the item.
    func title() throws -> String? {
        let title = try value("--title")
        let count = title?.utf8.count ?? 0
        guard count <= WireLimits.title else {
            throw CommandFailure(usage: "the title has \(count) bytes; at most \(WireLimits.title) are allowed")
        }
        return title
    }
}
