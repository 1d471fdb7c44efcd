import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Takes bytes from a pasteboard.
struct PasteCommand: Command {
    static let syntax = CommandSyntax(
        "paste",
        "writes what is on a pasteboard to standard output or to files",
        options: [
            .init("--type", short: "-t", value: "TYPE", "the type wanted; repeated, the first of them that is there"),
            .board,
            .init("--item", value: "N", "which item, counted from 1; the first unless told"),
            .init(
                "--output",
                short: "-o",
                value: "FILE",
                "writes FILE, once everything has come; '-' is standard output"
            ),
            .init("--into", value: "DIR", "writes each item to a new file in DIR, and prints its path"),
            .init("--timeout", value: "DURATION", "gives up after this time, instead of when the source stalls"),
            .init("--trim-newline", short: "-n", "leaves out one newline at the end"),
            .init("--raw", "sends to a terminal whatever it is"),
        ],
        notes: """
            Without -t it is text if there is any, else the item's first type; with -o FILE the type that FILE's extension
            names comes first, and with --into each item's first type. A type stands for those that conform to it too.

            Bytes are written as they come and as they are. To a terminal only text is written, and its control characters
            are shown instead of sent. A file appears only when all bytes have come; what was there before stays until then.
            Names that were suggested are made harmless, and never replace a file.

            Ends with 1 if there is nothing, or no broker: none is started.
            """
    )

    private let board: String
    private let types: [UniformType]
    private let item: UInt32?
    private let output: String?
    private let directory: String?
    private let timeout: TimeAllowed?
    private let trimsNewline: Bool
    private let isRaw: Bool

    init(_ arguments: ParsedArguments) throws {
        self.board = try arguments.board()
        self.types = try arguments.values("--type").map(TypeArgument.type)
        self.item = try arguments.value("--item").map(Self.index)
        self.output = try arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
        self.directory = try arguments.value("--into")
        self.timeout = try arguments.value("--timeout").map(TimeAllowed.init)
        self.trimsNewline = arguments.has("--trim-newline")
        self.isRaw = arguments.has("--raw")
        guard self.types.count <= WireLimits.accepts else {
            throw CommandFailure(
                usage: "-t is given \(self.types.count) times; at most \(WireLimits.accepts) are allowed"
            )
        }
        guard self.directory == nil || !arguments.has("--output") else {
            throw CommandFailure(usage: "--output and --into exclude each other")
        }
        for path in [self.output, self.directory] where path?.isEmpty ?? false {
            throw CommandFailure(usage: "the path is empty")
        }
    }

    private static func index(_ text: String) throws -> UInt32 {
        guard let number = UInt32(text), number > 0 else {
            throw CommandFailure(usage: "--item '\(text)': items are counted from 1")
        }
        return number - 1
    }

    func run() throws -> CInt {
        guard let connection = try Broker.running() else { throw Broker.nothing(on: self.board) }
        if let directory { return try self.run(into: directory, connection) }

        let sink: any PasteSink =
            if let output {
                FileOutput(path: output)
            } else if System.isTerminal(1), !self.isRaw {
                TerminalOutput()
            } else {
                PlainOutput()
            }
        var load = Load()
        load.board = self.board
        load.item = self.item ?? 0
        load.accepts = self.accepts
        try self.perform(load, connection, to: sink) { answer in
            if self.item == nil, let count = answer.itemCount, count > 1 {
                StandardStreams.note("pasteboard: paste: this is item 1 of \(count); see --item and --into")
            }
        }
        return 0
    }

    private func run(into directory: String, _ connection: BlockingConnection) throws -> CInt {
        // Before anything is loaded for it.
        do {
            _ = try System.open(directory, .directory)
        } catch {
            throw CommandFailure("cannot use directory", directory, error)
        }
        var list = List()
        list.board = self.board
        let contents = try connection.list(list).contents
        guard let handle = contents.handle, let count = contents.itemCount, count > 0 else {
            throw Broker.nothing(on: self.board)
        }
        for item in self.item.map({ $0...$0 }) ?? 0...(count - 1) {
            var load = Load()
            load.handle = handle
            load.item = item
            load.accepts = self.types.map(Self.accept)
            try self.perform(load, connection, to: DirectoryOutput(directory: directory)) { _ in }
        }
        return 0
    }

    private func perform(
        _ load: Load,
        _ connection: BlockingConnection,
        to sink: any PasteSink,
        answered: (Answer) -> Void
    ) throws {
        var load = load
        load.preference = 1
        load.timeoutMilliseconds = self.timeout?.loadMilliseconds
        var trimmer = self.trimsNewline ? NewlineTrimmer() : nil
        // Where files are left half written a signal has to be waited for; elsewhere it just ends the process.
        let signals = try sink.leavesFile ? SignalBox([SIGINT, SIGTERM, SIGHUP]) : nil
        do {
            try connection.load(
                load,
                interruptedBy: signals?.raw,
                answered: { answer in
                    answered(answer)
                    // What was asked for alone is what the type conforms to, though nobody here knows it.
                    let asked = load.accepts.count == 1 ? load.accepts.map(\.type) : []
                    let type = answer.type.map { UniformType(identifier: $0, supertypes: asked) } ?? .data
                    try sink.begin(answer.isArchive ? .tarArchive : type, suggestedName: answer.suggestedName)
                },
                file: { file in
                    try sink.write(file, trimsNewline: self.trimsNewline) {
                        if let signal = try signals?.next() { throw CommandFailure.signaled(signal) }
                    }
                },
                bytes: { bytes in
                    guard let trimmed = trimmer?.next(bytes) else { return try sink.write(bytes) }
                    try sink.write(trimmed.span)
                }
            )
        } catch {
            if let signal = try signals?.next() { throw CommandFailure.signaled(signal) }
            throw error
        }
        try sink.finish()
    }

    private var accepts: [Accept] {
        guard self.types.isEmpty else { return self.types.map(Self.accept) }
        var any = Accept()
        any.match = 2
        let byName = self.output.map(UniformType.forFile).flatMap { $0.isDynamic || $0 == .data ? nil : $0 }
        let types = [byName, .utf8PlainText, .plainText, .text].compactMap { $0 }
        return types.map(Self.accept) + [any]
    }

    private static func accept(_ type: UniformType) -> Accept {
        var accept = Accept()
        accept.type = type.identifier
        return accept
    }
}

/// Signals that wait to be read, in a reference that may be absent.
final class SignalBox {
    private let signals: SignalDescriptor

    var raw: CInt { self.signals.raw }

    init(_ signals: [CInt]) throws {
        self.signals = try SignalDescriptor(signals)
    }

    func next() throws -> CInt? {
        try self.signals.next()
    }
}
