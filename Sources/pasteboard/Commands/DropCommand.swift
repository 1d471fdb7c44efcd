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
            .init("--accept", value: "TYPE", "an accepted type; may be repeated, best first; by default all types"),
            .init("--into", value: "DIR", "the directory for the files; by default the current one"),
            .namePattern,
            .init("--once", "ends after the first drop"),
            .init("--list", "lists the destinations and ends"),
            .timeout, .label, .json,
        ],
        notes: """
            Each dropped item becomes a new file of the first accepted type that the item has, or a new directory if the
            item is a folder. A type includes the types that conform to it. The path is printed when all bytes have
            arrived; until then no file has that name. Items are moved if the source requests a move, otherwise copied.

            \(DirectoryOutput.help)

            Runs in the foreground until it is interrupted. With --once it runs until the first drop is done, and ends
            with the exit code of that drop. If a transfer takes longer than a second, the progress is shown on standard
            error if that is a terminal. A broker is started if none is running, except for --list.

            If the broker is stopped, the command ends with 3. If it crashes, a drop that was under way fails, and the
            destination continues with the next broker, except with --once: then it ends with 3 after such a drop.

            \(TypeArgument.help)

            --json prints one line for each item instead of its path: the source, the operation that it has requested,
            the type, bytes and name of the item, and the path.

            --list prints one line for each destination: its name, the program, the number of sessions, the types.
            """
    )

    private let isList: Bool
    private let isOnce: Bool
    private let name: String
    private let accepts: [Accept]
    private let directory: SystemString
    private let pattern: String?

    init(_ arguments: ParsedArguments) throws {
        isList = arguments.has("--list")
        isOnce = arguments.has("--once")
        directory = try arguments.path("--into") ?? "."
        pattern = try arguments.value("--name")
        let name = try arguments.value("--as")
        guard
            !isList
                || name == nil && !arguments.has("--accept") && !isOnce && !arguments.has("--into") && pattern == nil
        else {
            throw CommandFailure(usage: "option --list can be combined only with --json")
        }
        guard let name = name ?? (isList ? "" : nil) else {
            throw CommandFailure(
                usage: "missing name of the destination; write --as NAME (--list lists the existing ones)"
            )
        }
        if !isList { try BoardName.check(name, of: "a destination") }
        guard !directory.isEmpty else { throw CommandFailure(usage: "the path of --into is empty") }
        self.name = name
        accepts = try TypeArgument.accepted("--accept", shown: "--accept", of: arguments).map { Accept($0.identifier) }
    }

    func run() throws -> CInt {
        if isList {
            let destinations = try Broker.running()?.status().compactMap(\.destination) ?? []
            try StandardStreams.print(TextTable.text(destinations.map(\.row)), json: .array(destinations.map(\.json)))
            return 0
        }
        _ = System.raiseDescriptorLimit()
        // Checked before registering: a directory that cannot be written to must not become a destination.
        _ = try PendingFile(inDirectory: directory)
        WorkingName.removeLeftovers(in: directory)
        let connection = try Broker.startingOne()
        // From here on a signal has to remove unfinished files.
        let signals = try SignalBox()
        var destination = Destination()
        destination.name = name
        destination.accepts = accepts
        let loop = try DropLoop(
            destination,
            over: connection,
            directory: OutputDirectory(directory, pattern: pattern),
            isOnce: isOnce,
            signals: signals
        )
        let names = accepts.map { UniformType.readable($0.type) }
        let types = names.isEmpty ? "anything" : names.joined(separator: ", ")
        StandardStreams.note("accepting \(types) as \(name) into \(directory)")
        return try loop.run()
    }
}
