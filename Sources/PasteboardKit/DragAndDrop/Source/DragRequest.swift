import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The stream of a session that this process has begun, with the session's promises and the pending results of calls.
final class DragRequest: StreamSink {
    /// A broker sends the same handle of a session to its source and to its destinations. Handles of different brokers
    /// may be equal, but their epochs differ.
    private struct Key: Hashable, Sendable {
        let epoch: UInt64
        let handle: UInt64
    }

    /// The sessions that this process has begun and that have not ended, so that its own destinations find them.
    private static let sessions = Lock<[Key: DragRequest]>([:])

    private struct State {
        var progress = DragProgress()
        var items: [DragItem]
        /// The promises of the items, as registered when the items were passed.
        var promises: [ProviderContents]
        var stream: UInt64?
        /// An addition that the broker has not answered. Recorded before it is sent: asks for its items may come at
        /// once.
        var added: (items: [DragItem], promises: [ProviderContents]) = ([], [])
        var lastMove: UInt64 = 0
        /// The location of the last move, unless the session has lost its destination since. The destination there is
        /// asked about added items.
        var location: Location?
        var isDropped = false
        var hasReportedEnd = false
        var moves: [(sequence: UInt64, result: PendingResult<Proposal>)] = []
        var drops: [PendingResult<DropOperation>] = []
        /// The connection, which is kept alive while the session is under way, even if the drag is not referenced.
        var connection: PasteboardConnection?
        var key: Key?
        weak var drag: Drag?
        /// The drag that the observer is notified of.
        var observed: Drag?
        /// The answers to calls, to be given after all locks are released.
        var answers: [@Sendable () -> Void] = []
    }

    /// Resolved when the broker has opened the session.
    let result = PendingResult<Void>()
    /// The result of the session.
    let end = SharedResult<Drag.Outcome>()
    /// Resolved when the session is dropped or has ended, so that it can no longer be moved.
    let lastMoveMade = SharedResult<Void>()
    let reports: DragReports?
    private let state: Lock<State>

    init(_ items: [DragItem], reports: DragReports?) throws(PasteboardError) {
        state = Lock(State(items: items, promises: try Self.promises(of: items)))
        self.reports = reports
    }

    /// Returns the promises of items that follow `count` others in the drag.
    static func promises(of items: [DragItem], after count: Int = 0) throws(PasteboardError) -> [ProviderContents] {
        guard !items.isEmpty, items.count <= WireLimits.items - count else {
            throw PasteboardError(
                .invalidArgument,
                message: "cannot add \(items.count) items to \(count): a drag has 1 to \(WireLimits.items) items"
            )
        }
        var promises: [ProviderContents] = []
        for (index, item) in items.enumerated() {
            guard let promise = try item.itemProvider.contents.published(isDragged: true) else {
                throw PasteboardError(
                    .invalidArgument,
                    message: "item \(count + index) of the drag has no representation; register one, with visibility "
                        + "ownProcess if other processes must not see it"
                )
            }
            promises.append(promise)
        }
        return promises
    }

    var isCancelled: Bool { result.isResolved }

    var items: [DragItem] { state.withLock { $0.items } }
    var drag: Drag? { state.withLock { $0.drag } }
    var isDropped: Bool { state.withLock { $0.isDropped } }
    var isMove: Bool { state.withLock { $0.progress.dropped == .move } }
    var handle: UInt64? { state.withLock { $0.progress.handle } }

    var transferredItems: [DragItem] {
        state.withLock { state in
            guard state.progress.outcome != nil else { return [] }
            return state.progress.transferredItems.filter(state.items.indices.contains).map { state.items[$0] }
        }
    }

    /// Returns the session of a handle, if this process has begun it.
    static func session(_ handle: UInt64, epoch: UInt64) -> DragRequest? {
        sessions.withLock { $0[Key(epoch: epoch, handle: handle)] }
    }

    /// Lets destinations of this process find the drag.
    func attach(_ drag: Drag, _ connection: PasteboardConnection, epoch: UInt64) {
        guard let handle = state.withLock({ $0.progress.handle }) else { return }
        let key = Key(epoch: epoch, handle: handle)
        Self.sessions.withLock { $0[key] = self }
        change { state in
            state.drag = drag
            state.connection = connection
            state.key = key
            if reports != nil { state.observed = drag }
        }
    }

    // MARK: Sending

    /// Opens the session, sends all its items and begins it.
    func send(_ options: Drag.Options, _ client: inout ClientState) throws(Failure) -> UInt64 {
        var drag = PasteboardWire.Drag()
        drag.allowsMove = options.allowsMoveOperation
        drag.isRestricted = options.isRestrictedToDraggingApplication
        drag.movesBetweenProcesses = options.allowsMoveBetweenProcesses
        let stream = try client.open(drag, state.withLock { $0.promises })
        client.begin(stream)
        return stream
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    /// - Returns: the pending answer; nil if the session was dropped or has ended.
    func move(to location: Location?, over live: BrokerConnection) -> PendingResult<Proposal>? {
        let result = PendingResult<Proposal>()
        let isSent = live.tell { client in
            // Under the connection's lock, so that pointer updates are sent in the order of their numbers.
            let move = self.state.withLock { state -> (stream: UInt64, sequence: UInt64)? in
                guard let stream = state.stream, !state.isDropped, state.progress.outcome == nil else { return nil }
                state.lastMove += 1
                state.moves.append((state.lastMove, result))
                return (stream, state.lastMove)
            }
            guard let move else { return false }
            guard (try? client.move(move.stream, to: location, sequence: move.sequence)) != nil else { return false }
            self.state.withLock { $0.location = location }
            return true
        }
        return isSent ? result : nil
    }

    /// - Returns: the pending answer; nil if the session has ended, or if it was dropped and the operation is already
    ///   known.
    func drop(over live: BrokerConnection) -> PendingResult<DropOperation>? {
        let result = PendingResult<DropOperation>()
        let isWaiting = live.tell { client in
            let (stream, isFirst) = self.state.withLock { state -> (UInt64?, Bool) in
                guard let stream = state.stream, state.progress.outcome == nil, state.progress.dropped == nil else {
                    return (nil, false)
                }
                state.drops.append(result)
                defer { state.isDropped = true }
                // Items that are being added are part of the drop.
                return (stream, !state.isDropped && state.added.items.isEmpty)
            }
            if let stream, isFirst { client.drop(stream) }
            return stream != nil
        }
        if isWaiting { lastMoveMade.resolve(()) }
        return isWaiting ? result : nil
    }

    /// Returns the operation of the drop. Throws the error that ended the session before it was known.
    func dropResult() throws(PasteboardError) -> DropOperation {
        let (dropped, outcome) = state.withLock { ($0.progress.dropped, $0.progress.outcome) }
        if let dropped { return DropOperation(dropped) }
        throw Self.error(of: outcome)
    }

    /// The error that ended the session.
    var endError: PasteboardError { Self.error(of: state.withLock { $0.progress.outcome }) }

    private static func error(of outcome: DragProgress.Outcome?) -> PasteboardError {
        guard case .failed(let failure) = outcome else {
            return PasteboardError(.cancelled, message: "the drag was cancelled")
        }
        return PasteboardError(failure)
    }

    /// Cancels the session on behalf of the source.
    func cancel(over live: BrokerConnection) {
        change { $0.progress.cancel() }
        live.cancel(self)
    }

    func beginAdding(_ items: [DragItem], _ promises: [ProviderContents]) {
        state.withLock { $0.added = (items, promises) }
    }

    /// Records what the broker has done with the addition, and asks the session's destination about the added items.
    ///
    /// - Parameter isMade: whether it has added the items.
    func endAdding(isMade: Bool, over live: BrokerConnection) {
        // Released after unlocking.
        let added = live.tell { client in
            let (added, stream, location, move, isDropped) = self.state.withLock { state in
                let added = exchange(&state.added, with: ([], []))
                if isMade {
                    state.items += added.items
                    state.promises += added.promises
                    state.lastMove += 1
                }
                return (added, state.stream, isMade ? state.location : nil, state.lastMove, state.isDropped)
            }
            guard let stream else { return added }
            // The location was sent before, so it is not too long.
            if let location { try? client.move(stream, to: location, sequence: move) }
            if isDropped { client.drop(stream) }
            return added
        }
        withExtendedLifetime(added) {}
    }

    /// An item, also one of an addition whose answer was not handled yet.
    func item(at index: Int) -> DragItem? {
        state.withLock { state in
            let items = state.items + state.added.items
            return index < items.count ? items[index] : nil
        }
    }

    // MARK: Receiving

    /// Answers the asks of the broker.
    var answerer: Answerer {
        AskAnswer.answerer { [self] find in
            state.withLock { find($0.added.promises.isEmpty ? $0.promises : $0.promises + $0.added.promises) }
        }
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        changeState { state in
            state.progress.handle(event)
            switch event {
            case .exited: state.location = nil
            case .proposed(_, let proposal):
                // A destination that accepts none of the items may accept one that is added.
                let isLost = proposal.refusal.map { $0.code != .typeUnavailable } ?? false
                if isLost, proposal.sequence ?? 0 >= state.lastMove { state.location = nil }
            default: break
            }
        }
        return true
    }

    func failed(_ failure: Failure) {
        changeState { $0.progress.end(failure) }
    }

    func deliver() {
        let answers = state.withLock { exchange(&$0.answers, with: []) }
        for answer in answers { answer() }
    }

    private func change(_ body: (inout State) -> Void) {
        changeState(body)
        deliver()
    }

    /// Changes the state, and stores the answers to the calls that wait for the change. `deliver` passes them on.
    private func changeState(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            report(&state)
            if state.progress.handle != nil, !result.isResolved {
                state.answers.append { [result] in result.resolve(.success(())) }
            }
            if let proposal = state.progress.proposal, case let progress = state.progress {
                let answered = state.moves.filter { progress.hasAnswered($0.sequence) }.map(\.result)
                state.moves.removeFirst(answered.count)
                if !answered.isEmpty {
                    state.answers.append { for move in answered { move.resolve(.success(proposal)) } }
                }
            }
            if let dropped = state.progress.dropped, !state.drops.isEmpty {
                let drops = exchange(&state.drops, with: [])
                state.answers.append { for drop in drops { drop.resolve(.success(DropOperation(dropped))) } }
            }
            if let outcome = state.progress.outcome { finish(outcome, &state) }
        }
    }

    /// Notifies the observer of an action of the program on the drag, unless the end of the drag was already reported.
    func report(_ event: DragEvent, of drag: Drag) {
        state.withLock { state in
            if !state.hasReportedEnd { reports?.append(event, of: drag) }
        }
        reports?.wake()
    }

    /// Reports the end to the observer, before any call that waits for it returns.
    private func report(_ state: inout State) {
        guard let reports, let drag = state.observed else { return }
        if !state.hasReportedEnd {
            let operation = state.progress.dropped ?? (state.progress.outcome == nil ? nil : .cancel)
            guard let operation else { return }
            state.hasReportedEnd = true
            reports.appendEnd(with: DropOperation(operation), of: drag)
        }
        if let outcome = state.progress.outcome {
            if case .transferred = outcome { reports.append(.transferred, of: drag) }
            reports.finishSoon()
        }
        state.answers.append { reports.wake() }
    }

    private func finish(_ outcome: DragProgress.Outcome, _ state: inout State) {
        let (moves, drops, key) = (state.moves.map(\.result), state.drops, state.key)
        let released = (state.observed, state.connection)
        (state.moves, state.drops, state.key, state.observed, state.connection) = ([], [], nil, nil, nil)
        state.answers.append { [result, end, lastMoveMade] in
            let error = Self.error(of: outcome)
            if let key { _ = Self.sessions.withLock { $0.removeValue(forKey: key) } }
            result.resolve(.failure(error))
            for move in moves { move.resolve(.failure(error)) }
            for drop in drops { drop.resolve(.failure(error)) }
            end.resolve(Drag.Outcome(outcome))
            lastMoveMade.resolve(())
            // These may be the last references, which are released after unlocking.
            withExtendedLifetime(released) {}
        }
    }
}

extension Drag.Outcome {
    init(_ outcome: DragProgress.Outcome) {
        switch outcome {
        case .cancelled: self = .cancelled
        case .transferred(let operation): self = .transferred(DropOperation(operation))
        case .failed(let failure): self = .failed(PasteboardError(failure))
        }
    }
}

extension ClientState {
    /// Opens a session, or an addition to one, and sends its items.
    mutating func open(_ drag: PasteboardWire.Drag, _ items: [ProviderContents]) throws(Failure) -> UInt64 {
        let stream = try open(drag)
        do throws(Failure) {
            for item in items { try add(item.message, to: stream) }
        } catch {
            cancel(stream)
            throw error
        }
        commit(stream, itemCount: items.count)
        return stream
    }
}
