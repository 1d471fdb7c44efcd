import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Gives bytes to the broker, which keeps them.
struct CopyCommand: Command {
    static let syntax = CommandSyntax(
        "copy",
        "gives standard input or files to a pasteboard, which keeps the bytes",
        operands: "[FILE ...]",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the type of standard input, or of all FILEs"),
            .init(
                "--type",
                short: "-t",
                value: "TYPE=FILE",
                "one more representation of the same item; may be repeated"
            ),
            .board,
            .init("--name", value: "NAME", "suggests a file name to whoever pastes"),
            .init("--trim-newline", short: "-n", "leaves out one newline at the end of each input"),
        ],
        notes: """
            Each FILE is one item: its contents, its type by its extension, its name as suggested name. Standard input, and
            a file without extension, is public.utf8-plain-text if it starts as UTF-8 without NUL, else public.data. With
            -t TYPE=FILE there is one item; a plain -t TYPE beside them takes standard input.

            The command returns when the broker has all bytes; no other process stays. Until then, and if anything fails,
            the pasteboard holds what it held before. A broker is started if none runs.
            """
    )

    private let board: String
    private let name: String?
    private let trimsNewline: Bool
    private let types: [TypeArgument]
    private let files: [String]

    init(_ arguments: ParsedArguments) throws {
        self.board = try arguments.board()
        self.name = try arguments.value("--name")
        self.trimsNewline = arguments.has("--trim-newline")
        self.types = try arguments.values("--type").map(TypeArgument.init(giving:))
        self.files = arguments.operands
        guard self.types.count(where: { $0.origin == nil }) <= 1 else {
            throw CommandFailure(usage: "standard input or FILE has one type; write -t TYPE=FILE for the others")
        }
        guard self.files.isEmpty || self.types.allSatisfy({ $0.origin == nil }) else {
            throw CommandFailure(usage: "-t TYPE=FILE makes one item of its own; copy '\(self.files[0])' by -t as well")
        }
        guard self.name == nil || self.files.count <= 1 else {
            throw CommandFailure(usage: "--name is for one item, and there are \(self.files.count)")
        }
        guard self.files.count <= WireLimits.items else {
            throw Failure(
                .limitExceeded,
                "\(self.files.count) files; a pasteboard holds at most \(WireLimits.items) items"
            )
        }
        guard self.types.count <= WireLimits.representations else {
            throw Failure(
                .limitExceeded,
                "\(self.types.count) types; an item has at most \(WireLimits.representations)"
            )
        }
    }

    func run() throws -> CInt {
        _ = System.raiseDescriptorLimit()
        // What is wrong with the input should not start a broker.
        var inputs: [InputBytes] = []
        let items = try self.items(&inputs)
        let connection = try Broker.startingOne()
        try self.checkSpace(for: inputs, in: connection)
        var write = Write()
        write.board = self.board
        _ = try connection.write(write, items: items)
        return 0
    }

    private func items(_ inputs: inout [InputBytes]) throws -> [WriteItem] {
        func open(_ path: String?) throws -> InputBytes {
            inputs.append(try InputBytes(path, trimsNewline: self.trimsNewline))
            return inputs[inputs.count - 1]
        }
        guard self.files.isEmpty else {
            return try self.files.map { path in
                let input = try open(path)
                let base = path.split(separator: "/").last.map(String.init)
                let byName = UniformType.forFile(named: path)
                let type = try self.types.first?.type ?? (byName == .data ? try input.sniffType() : byName)
                let name = self.name ?? SafeFileName(suggested: base, type: .item).candidate(1)
                return WriteItem(suggestedName: name, representations: [try Self.kept(type, input)])
            }
        }
        let representations = try self.types.map { argument in
            try Self.kept(argument.type, open(argument.origin))
        }
        guard representations.isEmpty else {
            return [WriteItem(suggestedName: self.name, representations: representations)]
        }
        let input = try open(nil)
        return [
            WriteItem(suggestedName: self.name, representations: [try Self.kept(try input.sniffType(), input)])
        ]
    }

    private static func kept(
        _ type: UniformType,
        _ input: InputBytes
    ) throws -> (representation: Representation, source: ByteSource) {
        var representation = Representation()
        representation.type = type.identifier
        return (representation, try input.source())
    }

    /// Sizes that are known are compared first: a copy that cannot fit should not push anything into memory.
    private func checkSpace(for inputs: [InputBytes], in connection: BlockingConnection) throws {
        let size = inputs.compactMap(\.size).reduce(UInt64(0)) { sum, size in
            let (sum, overflow) = sum.addingReportingOverflow(size)
            return overflow ? .max : sum
        }
        guard size > 0 else { return }
        let welcome = try connection.welcome()
        guard let free = welcome.keptFree ?? welcome.keptPool, size > free else { return }
        throw Failure(
            .noSpace,
            "\(ByteCount.text(size)) do not fit: the broker keeps at most \(ByteCount.text(welcome.keptPool ?? free)), of "
                + "which \(ByteCount.text(free)) are free; clear a pasteboard, start the broker with a greater --limit "
                + "kept-pool, or use 'pasteboard offer'"
        )
    }
}
