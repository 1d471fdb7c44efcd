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
        let items = try self.items()
        let connection = try Broker.startingOne()
        let sources = try self.sources(of: items.flatMap { $0.representations.map(\.input) }, for: connection)
        var next = sources.makeIterator()
        var write = Write()
        write.board = self.board
        _ = try connection.write(
            write,
            items: items.map { item in
                WriteItem(
                    suggestedName: item.name,
                    representations: item.representations.map { representation in
                        var message = Representation()
                        message.type = representation.type.identifier
                        message.supertypes = Array(
                            representation.type.publishedSupertypes.prefix(WireLimits.supertypes)
                        )
                        return (message, next.next() ?? .bytes([]))
                    }
                )
            }
        )
        return 0
    }

    private typealias Input = (type: UniformType, input: InputBytes)

    private func items() throws -> [(name: String?, representations: [Input])] {
        func open(_ path: String?) throws -> InputBytes {
            try InputBytes(path, trimsNewline: self.trimsNewline)
        }
        guard self.files.isEmpty else {
            return try self.files.map { path in
                let input = try open(path)
                let base = path.split(separator: "/").last.map(String.init)
                let byName = UniformType.forFile(named: path)
                let type = try self.types.first?.type ?? (byName == .data ? try input.sniffType() : byName)
                let name = self.name ?? SafeFileName(suggested: base, type: .item).candidate(1)
                return (name, [(type, input)])
            }
        }
        let representations = try self.types.map { argument in (argument.type, try open(argument.origin)) }
        guard representations.isEmpty else { return [(self.name, representations)] }
        let input = try open(nil)
        return [(self.name, [(try input.sniffType(), input)])]
    }

    /// How each input goes to the broker. Sizes that are known are compared with its room first: a copy that cannot fit
    /// should not fill any memory.
    private func sources(of inputs: [InputBytes], for connection: BlockingConnection) throws -> [ByteSource] {
        let large = try inputs.map { try $0.isLarge() }
        guard large.contains(true) else { return try inputs.map { try $0.source() } }
        var room = KeptRoom(try connection.welcome())
        let known = inputs.compactMap(\.size).reduce(UInt64(0)) { sum, size in
            let (sum, overflow) = sum.addingReportingOverflow(size)
            return overflow ? .max : sum
        }
        guard known <= room.free else { throw room.failure(known) }
        let passes = connection.io.state.passesDescriptors
        return try zip(inputs, large).map { input, isLarge in
            guard isLarge, passes else { return try input.source() }
            let file = try input.memory(room: room)
            room = room.less(try file.size)
            return .memory(file)
        }
    }
}
