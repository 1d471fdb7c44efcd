import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One session at the destination: its proposals, and the files that are written when it is dropped.
final class ReceivedDrop: Sendable {
    private struct State {
        /// The reason why an item is missing or incomplete.
        var failure: CommandFailure?
        /// Whether a file could not be written here, which the broker learns only from `conclude`.
        var hasOwnFailure = false
        var writtenCount = 0
        /// The bytes received so far, and the size if it is known, by item.
        var amounts: [UInt32: (count: UInt64, total: UInt64?)] = [:]
        /// The earliest time of the next report to the broker, in milliseconds.
        var nextReport: UInt64 = 0
    }

    private let stream: StreamReference
    private let accepts: [Accept]
    private let directory: OutputDirectory
    private let signals: SignalBox
    private let line: ProgressLine
    private let state = Lock(State())

    init(
        _ stream: StreamReference,
        accepts: [Accept],
        directory: OutputDirectory,
        signals: SignalBox,
        line: ProgressLine
    ) {
        self.stream = stream
        self.accepts = accepts
        self.directory = directory
        self.signals = signals
        self.line = line
    }

    /// Serves the session until it is over, and prints the result.
    ///
    /// - Returns: 0 if all accepted items have arrived; nil if the session was not dropped here.
    /// - Throws: the failure of a command that a signal has ended.
    func run() async throws -> CInt? {
        var reader = stream.reader()
        guard case .session(let number, let message) = try await reader.next(at: .standing) else { return nil }
        var session = DestinationSession(number, message)
        while true {
            let event: ClientEvent
            do throws(RequestFailure) { event = try await reader.next(at: .standing) } catch {
                if Task.isCancelled { throw error }
                event = .failed(number, error.failure)
            }
            line.clear()
            switch session.handle(event) {
            case .none, .exited: break
            case .propose(let sequence, _, _):
                var proposal = Proposal()
                proposal.sequence = sequence
                // Files are written, so a move is possible if the source allows it.
                proposal.operation = session.allowsMove ? .move : .copy
                let message = proposal
                reader.tell { $0.propose(message, on: $1) }
            case .perform(let operation, _):
                try await perform(operation, session, reader)
            case .over(let outcome):
                guard let operation = session.operation else { return nil }
                var end: Failure?
                if case .failed(let failure) = outcome { end = failure }
                return report(operation, session, end)
            }
        }
    }

    // MARK: Items

    private func perform(
        _ operation: DropOperation,
        _ session: DestinationSession,
        _ reader: borrowing BrokerStream
    ) async throws {
        let verb = operation == .move ? "moving" : "copying"
        StandardStreams.note("\(verb) \(session.items.count.counted("item")) from \(Self.source(of: session))")
        let isHere = FileOrigin.isHere(process: session.sourceProcess)
        let reportsDrops = stream.connection.welcome.features.contains(Feature.dropReports.rawValue)
        let loads = zip(UInt32(0)..., session.items).map { index, item in
            let isList = accepts.isEmpty && item.isListOfFiles && isHere
            var load = Load(session.handle, item: index, accepts: isList ? FileList.accepts : accepts)
            load.preference = .acceptList
            // An older broker waits for the file of a move for a limited time only: there the bytes are sent.
            load.descriptorWelcome = operation == .copy || reportsDrops
            return (index, isList, stream.connection.open(load))
        }
        // The report lifts the limit `conclude`: a load by descriptor ends before its file is written, and any load may
        // end before its file has reached the disk.
        reader.tell { state, number in
            state.report(Progress(), on: number)
            state.performed(Performed(), on: number)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, isList, load) in loads {
                group.addTask { try await self.receive(index, isList: isList, load, session, operation) }
            }
            try await group.waitForAll()
        }
        line.finish()
        var conclude = Conclude()
        let (hasOwnFailure, failure) = state.withLock { ($0.hasOwnFailure, $0.failure) }
        if hasOwnFailure {
            conclude.failure = Failure(.refused, failure?.text ?? "the files could not be written")
        }
        let message = conclude
        reader.tell { $0.conclude(message, on: $1) }
    }

    /// Receives one item. A failure to write ends only the load of this item.
    private func receive(
        _ index: UInt32,
        isList: Bool,
        _ load: StreamReference,
        _ session: DestinationSession,
        _ operation: DropOperation
    ) async throws {
        let output = DirectoryOutput(in: directory, isLasting: operation == .move)
        let item = ReceivedItem(index, to: isList ? ListedFiles(output, check: signals.check) : output)
        do {
            var incoming = try await load.answered()
            let total = incoming.answer.byteCount
            if operation == .move, let file = incoming.file {
                try refuseMove(of: file, incoming.answer, session)
            }
            try item.begin(incoming.answer, of: session.items)
            if let file = incoming.file {
                try checkDrag()
                try item.write(file) {
                    try checkDrag()
                    report(item, of: total)
                }
            } else {
                while let bytes = try await incoming.next() {
                    try item.write(bytes.span)
                    report(item, of: total)
                }
            }
            line.clear()
            for path in try item.finish() { try printResult(item, path, session, operation) }
            let size = ByteCount.text(item.byteCount)
            let type = UniformType.readable(item.type.identifier)
            StandardStreams.note("  item \(UInt64(index) + 1): \(size), \(type)")
            state.withLock { $0.writtenCount += 1 }
        } catch let error as RequestFailure where !Task.isCancelled {
            line.clear()
            if error.failure.code == .typeUnavailable {
                StandardStreams.note("  item \(UInt64(index) + 1): skipped, because it has no accepted type")
            } else {
                note(error, about: index)
            }
        } catch {
            try signals.check()
            if Task.isCancelled { throw error }
            state.withLock { $0.hasOwnFailure = true }
            note(error, about: index)
        }
    }

    /// Throws if a signal has arrived, or if the drag was cancelled: no part of the drop has been confirmed, so the
    /// source has deleted nothing.
    private func checkDrag() throws {
        try signals.check()
        if let end = stream.failure, end.code == .cancelled { throw end }
    }

    /// Throws if the file is in the directory already: its copy would get another name, and the source would then
    /// delete the file.
    private func refuseMove(of file: PassedFile, _ answer: Answer, _ session: DestinationSession) throws {
        guard let name = session.items.representation(of: answer)?.file?.name else { return }
        let path = directory.path.appending(SafeFileName(ofFile: SystemString(name)).candidate(1))
        guard let there = try? System.status(at: path), let file = try? System.status(of: file.descriptor.raw),
            there.isSameFile(as: file)
        else { return }
        throw CommandFailure(local: "\(path) is the file itself, so there is nothing to move")
    }

    // MARK: Reports

    /// Shows the progress, and reports it to the broker at most once a second.
    private func report(_ item: ReceivedItem, of total: UInt64?) {
        let now = MonotonicClock.now() / 1_000_000
        let (count, all, isDue) = state.withLock { state -> (UInt64, UInt64?, Bool) in
            state.amounts[item.index] = (item.byteCount, total)
            let isDue = now >= state.nextReport
            if isDue { state.nextReport = now + 1_000 }
            let totals = state.amounts.values.map(\.total)
            return (
                state.amounts.values.reduce(0) { $0 &+ $1.count },
                totals.contains(nil) ? nil : totals.reduce(0) { $0 &+ ($1 ?? 0) }, isDue
            )
        }
        line.show("received", count, of: all)
        guard isDue else { return }
        var progress = Progress()
        progress.completed = count
        let message = progress
        stream.tell { $0.report(message, on: $1) }
    }

    /// Prints the result, once the drop is complete, and returns its exit code.
    private func report(_ operation: DropOperation, _ session: DestinationSession, _ end: Failure?) -> CInt {
        let (failure, writtenCount) = state.withLock { ($0.failure, $0.writtenCount) }
        let all = session.items.count
        let isMove = operation == .move
        // A move that left some items at the source is no failure.
        let isPart = isMove && session.transferred?.items.isEmpty == false
        // In most cases an item has reported it. If everything was copied, the end of the source does not matter.
        if let end, failure == nil, isMove || writtenCount < all, !isPart { note(end, about: nil) }
        let isMoved = isMove && end == nil
        let part = writtenCount == all ? "" : "\(writtenCount) of "
        var text = "\(isMoved ? "moved" : "copied") \(part)\(all.counted("item")) from \(Self.source(of: session))"
        if isMove, !isMoved {
            text += "; the move failed, and the source \(isPart ? "may keep" : "keeps") its files"
        }
        line.clear()
        StandardStreams.note(text)
        return state.withLock { $0.failure?.exitCode ?? 0 }
    }

    private func printResult(
        _ item: ReceivedItem,
        _ path: SystemString,
        _ session: DestinationSession,
        _ operation: DropOperation
    ) throws {
        guard Invocation.current.isJSON else { return try StandardStreams.print(path: path) }
        let origin: [(String, JSONValue)] = [
            ("source", .object(JSONValue.program(session.sourceLabel, session.sourceProcess))),
            ("operation", .string("\(operation)")),
        ]
        try StandardStreams.print(json: .object(origin + item.members(path: path)))
    }

    private func note(_ error: any Error, about index: UInt32?) {
        var failure = CommandFailure(error)
        if let index, let text = failure.text {
            failure = CommandFailure(exitCode: failure.exitCode, "item \(UInt64(index) + 1): \(text)")
        }
        line.clear()
        failure.report()
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    private static func source(of session: DestinationSession) -> String {
        TextTable.program(session.sourceLabel, session.sourceProcess)
    }
}
