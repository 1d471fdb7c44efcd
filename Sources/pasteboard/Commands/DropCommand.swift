import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// Makes a directory a destination for drags.
struct DropCommand: Command {
    static let syntax = CommandSyntax(
        "drop",
        "receives drags in a directory, or lists the destinations",
        options: [
            .init("--as", value: "NAME", "the destination's name"),
            .init("--accept", value: "TYPE", "an accepted type; repeatable, best first"),
            .init("--into", value: "DIR", "the directory for the files; by default this one"),
            .namePattern,
            .init("--once", "ends after the first drop"),
            .init("--list", "lists the destinations and ends"),
            .timeout, .label, .json,
        ],
        broker: .started,
        examples: """
            pasteboard drop --as inbox --into in
            pasteboard drop --as pictures --accept image --into in
            pasteboard drop --list
            """,
        exit: "0 for --list; that of the drop with --once; otherwise that of a signal",
        notes: """
            Each dropped item becomes a new file of the first accepted type that the item has, or a new directory if the
            item is a folder. A type includes the types that conform to it; by default all are accepted. The path is
            printed when all bytes have arrived; until then no file has that name. Items are moved if the source
            requests a move, otherwise copied.

            \(DirectoryOutput.help)

            Runs until it is interrupted. If the broker is stopped, the command ends with 3. If it crashes, a drop that
            was under way fails, and the destination continues with the next broker, except with --once.

            --json prints one line for each item instead of its path. --list prints one line for each destination: its
            name, the program, the number of sessions, the types.
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

    func run(on loop: Loop) async throws -> CInt {
        if isList {
            try StandardStreams.print(try await Brokers.statusOfRunning(on: loop).compactMap(\.destination?.row))
            return 0
        }
        _ = System.raiseDescriptorLimit()
        // Checked before registering: a directory that cannot be written to must not become a destination.
        _ = try PendingFile(inDirectory: directory)
        WorkingName.removeLeftovers(in: directory)
        let brokers = try Brokers.startingOne(on: loop)
        let line = ProgressLine()
        var signals: SignalBox?
        do {
            return try await brokers.standing(Recovery(.standing)) { connection, stands in
                var destination = Destination()
                destination.name = name
                destination.accepts = accepts
                var stream = try await connection.register(destination)
                stands()
                let isFirst = signals == nil
                // From here on a signal has to remove unfinished files.
                let box = try signals ?? SignalBox(interrupting: loop) { brokers.end() }
                signals = box
                if isFirst { noteRegistration() }
                return try await serve(&stream, box, line)
            }
        } catch {
            line.clear()
            try signals?.check()
            throw error
        }
    }

    private func noteRegistration() {
        let names = accepts.map { UniformType.readable($0.type) }
        let types = names.isEmpty ? "anything" : names.joined(separator: ", ")
        StandardStreams.note("accepting \(types) as \(name) into \(directory)")
    }

    /// Serves sessions until the connection ends. With `--once`, returns the exit code of the first drop.
    private func serve(
        _ destination: inout DestinationStream,
        _ signals: SignalBox,
        _ line: ProgressLine
    ) async throws -> CInt {
        let output = OutputDirectory(directory, pattern: pattern)
        let first = FirstDrop()
        let error = await withDiscardingTaskGroup { group -> (any Error)? in
            defer { if first.end.withLock({ $0 != nil }) { group.cancelAll() } }
            do {
                while first.end.withLock({ $0 == nil }) {
                    guard let session = try await destination.nextSession() else { continue }
                    let drop = ReceivedDrop(session, accepts: accepts, directory: output, signals: signals, line: line)
                    group.addTask { [isOnce, shared = destination.shared] in
                        let end: FirstDrop.End?
                        do { end = try await drop.run().map { .done($0) } } catch { end = .failed(error) }
                        guard let end, isOnce || end.isFailure else { return }
                        first.end.withLock { $0 = $0 ?? end }
                        shared.nudge()
                    }
                }
                return nil
            } catch {
                // The drops that are under way fail, too, and report it.
                return error
            }
        }
        switch first.end.withLock({ $0 }) {
        case .done(let code): return code
        case .failed(let error): throw error
        case nil: throw error ?? Failure(.cancelled, "the destination has ended")
        }
    }
}

/// The result of the first drop, or the first error that is not one of an item.
private final class FirstDrop: Sendable {
    enum End {
        case done(CInt)
        case failed(any Error)

        var isFailure: Bool { if case .failed = self { true } else { false } }
    }

    let end = Lock<End?>(nil)
}
