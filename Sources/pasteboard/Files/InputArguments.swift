import PasteboardClient
import PasteboardWire
import TypeIdentifiers

/// The FILEs and the `-t`s of `copy` and `drag`: what is to be given, and as which types.
struct InputArguments {
    private let command: String
    private let name: String?
    private let trimsNewline: Bool
    private let types: [TypeArgument]
    private let files: [String]

    init(_ arguments: ParsedArguments, of command: String) throws {
        self.command = command
        self.name = try arguments.value("--name")
        self.trimsNewline = arguments.has("--trim-newline")
        self.types = try arguments.values("--type").map(TypeArgument.init(giving:))
        self.files = arguments.operands
        guard self.types.count(where: { $0.origin == nil }) <= 1 else {
            throw CommandFailure(usage: "standard input or FILE has one type; write -t TYPE=FILE for the others")
        }
        guard self.files.isEmpty || self.types.allSatisfy({ $0.origin == nil }) else {
            let way = "\(command) '\(self.files[0])' by -t as well"
            throw CommandFailure(usage: "-t TYPE=FILE makes one item of its own; \(way)")
        }
        guard self.name == nil || self.files.count <= 1 else {
            throw CommandFailure(usage: "--name is for one item, and there are \(self.files.count)")
        }
        guard self.files.count <= WireLimits.items else {
            throw Failure(
                .limitExceeded,
                "\(self.files.count) files; there may be at most \(WireLimits.items) items"
            )
        }
        guard self.types.count <= WireLimits.representations else {
            throw Failure(
                .limitExceeded,
                "\(self.types.count) types; an item has at most \(WireLimits.representations)"
            )
        }
    }

    /// Opens them all.
    func items() throws -> [InputItem] {
        guard self.files.isEmpty else {
            return try self.files.map { path in
                let input = try self.open(path)
                let base = path.split(separator: "/").last.map(String.init)
                let byName = UniformType.forFile(named: path)
                let type = try self.types.first?.type ?? (byName == .data ? try input.sniffType() : byName)
                let name = self.name ?? SafeFileName(suggested: base, type: .item).candidate(1)
                return InputItem(name: name, representations: [(type, input)])
            }
        }
        let representations = try self.types.map { argument in (argument.type, try self.open(argument.origin)) }
        guard representations.isEmpty else { return [InputItem(name: self.name, representations: representations)] }
        let input = try self.open(nil)
        return [InputItem(name: self.name, representations: [(try input.sniffType(), input)])]
    }

    private func open(_ path: String?) throws -> InputBytes {
        try InputBytes(path, trimsNewline: self.trimsNewline, for: self.command)
    }
}
