import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Makes a directory a destination for drags.
struct DropCommand: Command {
    static let syntax = CommandSyntax(
        "drop",
        "makes a directory a destination for drags, or lists the destinations",
        options: [
            .init("--as", value: "NAME", "the destination's name"),
            .init("--accept", value: "TYPE", "a type that it takes; repeated, the best first; any type unless told"),
            .init("--into", value: "DIR", "where the files go; the current directory unless told"),
            .init("--once", "ends after the first drop"),
            .init("--list", "lists the destinations that there are instead"),
            .json,
        ],
        notes: """
            Each item that is dropped becomes a new file, of the first accepted type that it has; a type stands for those that
            conform to it too. The path of each file is printed when all of its bytes are there: before that there is no file
            of that name. Names that were suggested are made harmless, and never replace a file. Items are moved if their
            source wants that, else copied.

            Stays in the foreground until it is interrupted, with --once until the first drop is done, and ends with that one's
            exit code. A broker is started if none runs, but not for --list.

            --list prints one line a destination: name, whose it is, sessions that are there, types that it takes.
            """
    )

    private let isList: Bool
    private let isJSON: Bool
    private let isOnce: Bool
    private let name: String
    private let accepts: [Accept]
    private let directory: String

    init(_ arguments: ParsedArguments) throws {
        self.isList = arguments.has("--list")
        self.isJSON = arguments.has("--json")
        self.isOnce = arguments.has("--once")
        self.directory = try arguments.value("--into") ?? "."
        let name = try arguments.value("--as")
        let types = arguments.values("--accept")
        guard !self.isList || name == nil && types.isEmpty && !self.isOnce && !arguments.has("--into") else {
            throw CommandFailure(usage: "--list goes with --json alone")
        }
        guard !self.isJSON || self.isList else { throw CommandFailure(usage: "--json is for --list") }
        guard let name = name ?? (self.isList ? "" : nil) else {
            throw CommandFailure(usage: "the destination needs a name: --as NAME; --list shows those that there are")
        }
        if !self.isList { try BoardName.check(name, of: "a destination") }
        guard !self.directory.isEmpty else { throw CommandFailure(usage: "the path is empty") }
        guard types.count <= WireLimits.accepts else {
            throw CommandFailure(
                usage: "--accept is given \(types.count) times; at most \(WireLimits.accepts) are allowed"
            )
        }
        self.name = name
        self.accepts = try types.map { spelling in
            var accept = Accept()
            accept.type = try TypeArgument.type(spelling).identifier
            return accept
        }
    }

    func run() throws -> CInt {
        if self.isList {
            let destinations = try Broker.running()?.status().compactMap(\.destination) ?? []
            try StandardStreams.print(
                self.isJSON ? JSONValue.array(destinations.map(\.json)).line : TextTable.text(destinations.map(\.row))
            )
            return 0
        }
        _ = System.raiseDescriptorLimit()
        // Where nothing can be written nobody should drop anything.
        _ = try PendingFile(inDirectory: self.directory)
        let connection = try Broker.startingOne()
        // From here on files may be left half written.
        let signals = try SignalBox([SIGINT, SIGTERM, SIGHUP])
        var destination = Destination()
        destination.name = self.name
        destination.accepts = self.accepts
        let stream = try connection.register(destination)
        let types = self.accepts.isEmpty ? "anything" : self.accepts.map(\.type).joined(separator: ", ")
        StandardStreams.note("taking \(types) as \(self.name) into \(self.directory)")
        return try DropLoop(
            connection,
            destination: stream,
            accepts: self.accepts,
            directory: self.directory,
            isOnce: self.isOnce,
            signals: signals
        ).run()
    }
}
