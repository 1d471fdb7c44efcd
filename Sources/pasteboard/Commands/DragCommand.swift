import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Drags files and folders to a destination and drops them there.
struct DragCommand: Command {
    static let syntax = CommandSyntax(
        "drag",
        "drags files or standard input to a destination and drops them",
        operands: "[FILE ...] --to NAME",
        options: [
            .init("--to", value: "NAME", "the destination; 'pasteboard drop --list' lists them"),
            .type, .typedFile,
            .init("--name", value: "NAME", "a file name for a single item"),
            .title,
            .init("--wait", value: "DURATION", "waits for the destination to appear"),
            .init("--move", "deletes the files when the destination has them"),
            .timeout, .label, .json,
        ],
        broker: .started,
        examples: """
            pasteboard drag report.pdf --to inbox
            pasteboard drag --move photo.png --to inbox --wait 10s
            """,
        exit: """
            0 if the destination has everything; 1 if there is no such destination, or if it accepts none of the types; \
            6 if it accepts nothing at this time
            """,
        notes: """
            Each FILE becomes one item, with its name, permissions and modification time; '-' is standard input. With -t
            TYPE=FILE there is one item. Files and directories (see 'pasteboard copy --help') are read when the
            destination loads them; standard input and pipes are read first.

            \(TypeArgument.contents)

            The command returns when the destination has everything, and prints what the destination did. Ctrl-C cancels
            the drop: the destination removes what is incomplete, and nothing is deleted.

            With --move nothing is deleted if the destination copies instead, if anything fails, or if the file has
            changed in the meantime. An item with several representations cannot be moved, and neither can a directory:
            drag it without --move, then delete it. Without --wait no broker is started.
            """
    )

    private let destination: String
    private let inputs: InputArguments
    private let isMove: Bool
    private let wait: TimeoutArgument?

    init(_ arguments: ParsedArguments) throws {
        guard let destination = try arguments.value("--to") else {
            throw CommandFailure(
                usage: "missing destination; write --to NAME ('pasteboard drop --list' lists the destinations)"
            )
        }
        try BoardName.check(destination, of: "a destination")
        self.destination = destination
        inputs = try InputArguments(arguments, of: Self.syntax.name)
        isMove = arguments.has("--move")
        wait = try arguments.value("--wait").map(TimeoutArgument.init)
    }

    func run(on loop: Loop) async throws -> CInt {
        _ = System.raiseDescriptorLimit()
        let items = try inputs.items()
        if isMove { try Self.checkDeletable(items) }
        // A destination loads one representation of an item and never has the others.
        if isMove, items.contains(where: { $0.representations.count > 1 }) {
            throw CommandFailure(
                usage: "option --move allows one file per item; drag the files as separate items, or omit --move"
            )
        }
        let connection = try await connection(on: loop)
        var drag = Drag()
        drag.allowsMove = isMove
        drag.movesBetweenProcesses = isMove
        let promises = try InputItem.writeItems(items, for: connection.welcome)
        let line = ProgressLine()
        let served = ServedItems(
            promises.map(\.message),
            items.map { $0.representations.map(\.origin.promised) },
            on: loop,
            progress: { sent, wanted in if wanted != 0 { line.show("sent", sent, of: wanted) } }
        )
        let answerer = AskStream.answerer { [served] ask in try await served.answer(ask) }
        let publication = try await connection.offer(drag, promises, answering: answerer)
        // From here on a signal cancels the transfers that are incomplete.
        let signals = try SignalBox()
        var session = DragSession(publication, signals, isMove: isMove)
        let progress: DragProgress
        do {
            progress = try await session.drop(on: destination)
        } catch {
            line.clear()
            // First, so that no load fails because its program is ended.
            session.cancel()
            await served.stop()
            throw error
        }
        line.clear()
        await served.stop()
        return try report(progress, of: items)
    }

    /// Connects to the broker, and with --wait waits for the destination.
    private func connection(on loop: Loop) async throws -> BrokerConnection {
        let streams = ServedItems.maximumAsks
        guard let wait else {
            if let brokers = try await Brokers.running(on: loop, streams: streams) {
                return try await brokers.recovering { $0 }
            }
            throw Failure(.nothingHere, "there is no destination \(destination), because no broker is running")
        }
        let milliseconds = wait.milliseconds
        let end = milliseconds.map { MonotonicClock.deadline(milliseconds: Int(clamping: $0)) } ?? .max
        return try await Brokers.startingOne(on: loop, streams: streams).recovering {
            try await $0.wait(for: destination, milliseconds: milliseconds, until: end)
            return $0
        }
    }

    private static func checkDeletable(_ items: [InputItem]) throws {
        for input in items.lazy.flatMap(\.inputs) where input.file == nil {
            guard input.folder == nil else {
                throw CommandFailure(
                    usage:
                        "cannot move directory \(input.name), because files in it may change after they were copied; drag it "
                        + "without --move, then delete it"
                )
            }
            throw CommandFailure(
                usage: "cannot move \(input.name), because it is not a regular file; drag it without --move"
            )
        }
    }

    private func report(_ progress: DragProgress, of items: [InputItem]) throws -> CInt {
        let taken = progress.transferredItems.filter { items.indices.contains($0) }
        switch progress.outcome {
        case .transferred(let operation):
            // The destination has the files, so all of them are deleted even if the deadline passes.
            CommandLineTool.outliveDeadline()
            let count = taken.count == items.count ? "" : "\(taken.count) of "
            let verb = operation == .move ? "moved" : "copied"
            if !Invocation.current.isJSON {
                try StandardStreams.print("\(verb) \(count)\(items.count.counted("item")) to \(destination)\n")
            }
            for (index, item) in items.enumerated() where !taken.contains(index) {
                let name = item.inputs.first?.name ?? "item \(index + 1)"
                StandardStreams.remark("destination \(destination) did not accept \(name)")
            }
            var moved = MovedFiles()
            if operation == .move {
                try moved.delete(taken.map { items[$0] })
            } else if isMove {
                StandardStreams.remark(
                    "destination \(destination) copied the items; nothing was deleted"
                )
            }
            if Invocation.current.isJSON {
                try StandardStreams.print(json: [
                    "destination": .string(destination), "operation": .string("\(operation)"),
                    "items": JSONValue(items.count), "transferred": .array(taken.map { JSONValue($0 + 1) }),
                    "deleted": .array(moved.deleted.map { .string($0.name) }),
                ])
            }
            return moved.failure?.exitCode ?? 0
        case .failed(var failure):
            if !taken.isEmpty { failure.text += "; it has \(taken.count) of \(items.count) items" }
            if isMove { failure.text += "; nothing was deleted" }
            throw failure
        case .cancelled, nil:
            throw Failure(.refused, "destination \(destination) accepted none of the items")
        }
    }
}
