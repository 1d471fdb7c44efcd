import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// One session at the destination: its proposals, and the files that are written when it is dropped.
final class ReceivedDrop {
    private var session: DestinationSession
    private let accepts: [Accept]
    private let directory: OutputDirectory
    /// Throws if a signal has arrived.
    private let check: () throws -> Void
    private let line: ProgressLine
    private var operation = DropOperation.copy
    private var items: [UInt64: (load: LoadOperation, item: ReceivedItem)] = [:]
    private var doneBytes: UInt64 = 0
    private var writtenCount = 0
    /// The reason why an item is missing or incomplete.
    private var failure: CommandFailure?
    /// Whether a file could not be written here, which the broker learns only from `conclude`.
    private var hasOwnFailure = false
    private var isConcluded = false
    private var isOver = false
    /// The failure with which the session has ended, if any.
    private var end: Failure?
    /// The earliest time of the next report to the broker, in milliseconds.
    private var nextReport: UInt64 = 0

    init(
        _ session: DestinationSession,
        accepts: [Accept],
        directory: OutputDirectory,
        line: ProgressLine,
        check: @escaping () throws -> Void
    ) {
        self.session = session
        self.accepts = accepts
        self.directory = directory
        self.check = check
        self.line = line
    }

    /// Whether the session is over and all files are written.
    var isComplete: Bool { isOver && items.isEmpty }

    /// 0 if all accepted items have arrived; nil if the session was not dropped here.
    var exitCode: CInt? { session.isDropped ? failure?.exitCode ?? 0 : nil }

    /// Whether loads are under way, or files are still to be written.
    var isReceiving: Bool { !items.isEmpty }

    /// The first load whose bytes arrived as a file that is still to be written.
    var passed: UInt64? {
        items.filter { if case .passed = $0.value.load.end { true } else { false } }.keys.min()
    }

    /// The bytes received so far, and the total if it is known.
    var progress: (count: UInt64, total: UInt64?) {
        let count = items.values.reduce(doneBytes) { $0 &+ $1.item.byteCount }
        let totals = items.values.map(\.load.byteCount)
        guard !totals.contains(nil) else { return (count, nil) }
        return (count, totals.reduce(doneBytes) { $0 &+ ($1 ?? 0) })
    }

    // MARK: Events

    func handle(_ event: ClientEvent, _ state: inout ClientState) {
        switch session.handle(event) {
        case .none, .exited:
            break
        case .propose(let sequence, _, _):
            var proposal = Proposal()
            proposal.sequence = sequence
            // Files are written, so a move is possible if the source allows it.
            let operation: DropOperation = session.allowsMove ? .move : .copy
            proposal.operation = operation
            state.propose(proposal, on: session.stream)
        case .perform(let operation, _):
            perform(operation, &state)
        case .over(let outcome):
            isOver = true
            if case .failed(let failure) = outcome { end = failure }
        }
    }

    private func perform(_ operation: DropOperation, _ state: inout ClientState) {
        self.operation = operation
        let verb = operation == .move ? "moving" : "copying"
        StandardStreams.note("\(verb) \(session.items.count.counted("item")) from \(source)")
        for (index, item) in zip(UInt32(0)..., session.items) {
            let isList = accepts.isEmpty && item.isListOfFiles && FileOrigin.isHere(process: session.sourceProcess)
            var load = Load(session.handle, item: index, accepts: isList ? FileList.accepts : accepts)
            load.preference = .acceptList
            // An older broker waits for the file of a move for a limited time only: there the bytes are sent.
            load.descriptorWelcome = operation == .copy || state.reportsDrops
            do {
                let output = DirectoryOutput(in: directory, isLasting: operation == .move)
                let item = ReceivedItem(index, to: isList ? ListedFiles(output, check: check) : output)
                items[try state.open(load)] = (LoadOperation(expecting: nil), item)
            } catch {
                note(error, about: index)
            }
        }
        // The report lifts the limit `conclude`: a load by descriptor ends before its file is written, and any load may
        // end before its file has reached the disk.
        state.report(Progress(), on: session.stream)
        state.performed(Performed(), on: session.stream)
        concludeIfDone(&state)
    }

    /// Handles an event if it is one of its loads.
    func handleLoad(_ event: ClientEvent, in bytes: Span<UInt8>, _ state: inout ClientState) {
        let load = event.stream
        guard let step = items[load]?.load.handle(event, in: bytes), let loading = items[load]?.load else { return }
        switch step {
        case .answered: attempt(load, &state) { try $0.begin(loading.answer ?? Answer(), of: session.items) }
        case .bytes(let range):
            attempt(load, &state) { try $0.write(bytes.extracting(range)) }
            state.consumed(load, count: range.count)
        case .none, .progress, .over: break
        }
        switch loading.end {
        case .complete: ended(load, &state)
        case .failed(let failure): failed(load, failure, &state)
        case nil, .passed, .tooLarge: break
        }
    }

    /// Writes the bytes of the first load that arrived as one file.
    ///
    /// - Parameter check: called repeatedly; an error that it throws is passed on.
    func writePassed(over connection: BlockingConnection, check: () throws -> Void) throws {
        guard let load = passed, let (loading, item) = items[load],
            case .passed(let descriptor, let answer) = loading.end
        else { return }
        do {
            // Files that have arrived are not written any more after the drag was cancelled.
            if let end, end.code == .cancelled { throw end }
            if operation == .move { try refuseMove(of: descriptor, answer) }
            try item.begin(answer, of: session.items)
            try item.write(try PassedFile(descriptor, answer)) {
                try check()
                // No part of the drop has been confirmed, so the source has deleted nothing.
                if let end, end.code == .cancelled { throw end }
                try reportProgress(over: connection)
            }
        } catch {
            fail(load, error, &connection.io.state)
        }
        try check()
        ended(load, &connection.io.state)
    }

    /// Throws if the file is in the directory already: its copy would get another name, and the source would then
    /// delete the file.
    private func refuseMove(of descriptor: DescriptorBox, _ answer: Answer) throws {
        guard let name = session.items.representation(of: answer)?.file?.name else { return }
        let path = directory.path.appending(SafeFileName(ofFile: SystemString(name)).candidate(1))
        guard let there = try? System.status(at: path), let file = try? System.status(of: descriptor.raw),
            there.isSameFile(as: file)
        else { return }
        throw CommandFailure(local: "\(path) is the file itself, so there is nothing to move")
    }

    /// Reports progress to the broker, at most once a second.
    private func reportProgress(over connection: BlockingConnection) throws {
        let now = MonotonicClock.now() / 1_000_000
        guard now >= nextReport else { return }
        nextReport = now + 1_000
        var report = Progress()
        report.completed = progress.count
        connection.io.state.report(report, on: session.stream)
        try connection.io.flush()
    }

    private func ended(_ load: UInt64, _ state: inout ClientState) {
        line.clear()
        attempt(load, &state) { item in
            for path in try item.finish() { try printResult(item, path) }
            let size = ByteCount.text(item.byteCount)
            let type = UniformType.readable(item.type.identifier)
            StandardStreams.note("  item \(UInt64(item.index) + 1): \(size), \(type)")
        }
        if let (_, item) = items.removeValue(forKey: load) {
            writtenCount += 1
            doneBytes &+= item.byteCount
        }
        concludeIfDone(&state)
    }

    /// Ends all that is under way, because the connection is lost.
    func lost(_ failure: Failure, _ state: inout ClientState) {
        for load in items.keys.sorted() { failed(load, failure, &state) }
        handle(.failed(session.stream, failure), &state)
    }

    private func failed(_ load: UInt64, _ failure: Failure, _ state: inout ClientState) {
        guard let (_, item) = items.removeValue(forKey: load) else { return }
        line.clear()
        if failure.code == .typeUnavailable {
            StandardStreams.note("  item \(UInt64(item.index) + 1): skipped, because it has no accepted type")
        } else {
            note(failure, about: item.index)
        }
        concludeIfDone(&state)
    }

    // MARK: Files

    /// Runs `body`; a failure to write ends only the load of this item.
    private func attempt(_ load: UInt64, _ state: inout ClientState, _ body: (ReceivedItem) throws -> Void) {
        guard let (_, item) = items[load] else { return }
        do {
            try body(item)
        } catch {
            fail(load, error, &state)
        }
    }

    private func fail(_ load: UInt64, _ error: any Error, _ state: inout ClientState) {
        guard let (_, item) = items.removeValue(forKey: load) else { return }
        state.cancel(load)
        hasOwnFailure = true
        note(error, about: item.index)
        concludeIfDone(&state)
    }

    private func concludeIfDone(_ state: inout ClientState) {
        guard items.isEmpty, !isConcluded, session.isDropped else { return }
        isConcluded = true
        var conclude = Conclude()
        if hasOwnFailure, let failure {
            conclude.failure = Failure(.refused, failure.text ?? "the files could not be written")
        }
        state.conclude(conclude, on: session.stream)
    }

    // MARK: Reports

    /// Prints the result, once the drop is complete.
    func report() {
        guard session.isDropped else { return }
        let all = session.items.count
        let isMove = operation == .move
        // A move that left some items at the source is no failure.
        let isPart = isMove && session.transferred?.items.isEmpty == false
        // In most cases an item has reported it. If everything was copied, the end of the source does not matter.
        if let end, failure == nil, isMove || writtenCount < all, !isPart { note(end, about: nil) }
        let isMoved = isMove && self.end == nil
        let part = writtenCount == all ? "" : "\(writtenCount) of "
        var line = "\(isMoved ? "moved" : "copied") \(part)\(all.counted("item")) from \(source)"
        if isMove, !isMoved {
            line += "; the move failed, and the source \(isPart ? "may keep" : "keeps") its files"
        }
        StandardStreams.note(line)
    }

    private func printResult(_ item: ReceivedItem, _ path: SystemString) throws {
        guard Invocation.current.isJSON else { return try StandardStreams.print(path: path) }
        let origin: [(String, JSONValue)] = [
            ("source", ["process": JSONValue(session.sourceProcess), "label": JSONValue(session.sourceLabel)]),
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
        self.failure = self.failure ?? failure
    }

    private var source: String { TextTable.program(session.sourceLabel, session.sourceProcess) }
}
