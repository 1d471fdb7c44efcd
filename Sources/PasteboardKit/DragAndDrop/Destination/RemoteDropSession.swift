import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A session at a destination of this process, and the request of its stream. The items are loaded through the broker
/// even if the session began in this process.
package final class RemoteDropSession: DropSession {
    private enum Drop {
        case none
        /// The handler or an extension of the drop window runs.
        case running
        case returned
        /// The broker was notified that the drop is complete here.
        case concluded
    }

    private struct State {
        /// The session as the broker has sent it so far, and at the time of the event that the destination handles.
        var received: DestinationSession
        var visited: DestinationSession
        /// Whether all further events of the broker are ignored.
        var isAbandoned = false
        /// The result of the session; nil until it has ended.
        var outcome: Drag.Outcome?
        /// The source's request, if the session began in this process.
        var local: DragRequest?
        var items: [DragItem] = []
        var location: DropLocation?
        var declinedVersion: UInt64?
        /// The extensions of the drop window that were not awaited yet.
        var extensions: [Task<Void, any Error>] = []
        var phase = ReceivedPhase.first
        var drop = Drop.none
        var reports = DropProgressReports()
    }

    /// The progress of all loads of the drop together.
    package var progress: LoadProgress { window.progress }

    let window = DropWindow()
    private let stream: UInt64
    private let destination: StandingDestination
    private let live: BrokerConnection
    /// The result of the session, for callers that wait for it.
    private let ending = SharedResult<Drag.Outcome>()
    private let state: Lock<State>

    init(_ visited: DestinationSession, at destination: StandingDestination, over live: BrokerConnection) {
        stream = visited.stream
        self.destination = destination
        self.live = live
        state = Lock(State(received: visited, visited: visited))
    }

    // MARK: Properties

    package var items: [DragItem] { state.withLock { $0.items } }
    package var allowsMoveOperation: Bool { state.withLock { $0.visited.allowsMove } }
    package var isRestrictedToDraggingApplication: Bool { state.withLock { $0.visited.isRestricted } }
    package var outcome: Drag.Outcome? { state.withLock { $0.outcome } }
    package var localDragSession: (any DragSession)? { state.withLock { $0.local }?.drag }
    package var location: DropLocation? { state.withLock { $0.location } }

    // MARK: Events

    /// Updates the session's data, items and location.
    func update(_ visited: DestinationSession, at location: DropLocation, over connection: PasteboardConnection) {
        let (count, known) = state.withLock { ($0.items.count, $0.local) }
        let local = known ?? live.epoch.flatMap { DragRequest.session(visited.handle, epoch: $0) }
        let added = visited.items.dropFirst(count).enumerated().map { index, item in
            let received = PasteboardItem(
                item,
                at: count + index,
                of: ContentsName(handle: visited.handle),
                connection: connection,
                live: live,
                window: window
            )
            let original = local.map { DragItem.LocalItem(source: $0, index: count + index, window: window) }
            return DragItem(itemProvider: received.itemProvider, local: original)
        }
        state.withLock { state in
            state.visited = visited
            state.local = local
            state.items += added
            state.location = location
        }
    }

    /// Answers the broker's request for a proposal.
    func propose(_ proposal: Proposal) {
        live.tell { [stream] in $0.propose(proposal, on: stream) }
    }

    /// The version of the items that the receiver has declined. It is asked again when items are added.
    var declinedVersion: UInt64? {
        get { state.withLock { $0.declinedVersion } }
        set { state.withLock { $0.declinedVersion = newValue } }
    }

    /// Where the session is for the receiver.
    var phase: ReceivedPhase { state.withLock { $0.phase } }

    /// Changes the phase.
    func pass<Value: Sendable>(_ step: (inout ReceivedPhase) -> Value) -> Value { state.withLock { step(&$0.phase) } }

    /// Records the result of the session. Only the first one counts.
    func end(with outcome: Drag.Outcome) {
        let isFirst = state.withLock { state in
            defer { state.outcome = state.outcome ?? outcome }
            return state.outcome == nil
        }
        if isFirst, case .failed(let error) = outcome { window.interrupt(error) }
    }

    /// Waits until a source in this process was notified of all earlier events. A program that is both source and
    /// destination thus sees one order.
    func notifySource() async {
        await state.withLock { $0.local }?.reports?.tell()
    }

    /// Waits for the broker's result of a drop that is complete here, even if the task is cancelled. The result arrives
    /// soon, and without it the program would not know whether the source deletes the moved items.
    func confirm() async {
        guard state.withLock({ $0.drop == .concluded }) else { return }
        let call = Call("the confirmation of the drop", timeout: .seconds(5))
        await Task { [ending] in _ = try? await ending.value(for: call) }.value
    }

    /// The outcome of a session whose registration ends before the session does.
    var abandoned: Drag.Outcome {
        state.withLock { state in
            guard state.drop != .none else { return .cancelled }
            let message =
                state.drop == .concluded
                ? "the broker has not confirmed the drop; the source may have completed it"
                : "the destination was unregistered before its drop was complete"
            return .failed(PasteboardError(.cancelled, message: message))
        }
    }

    // MARK: The drop

    /// Runs the handler of a drop and reports its end to the broker.
    ///
    /// - Parameter body: the handler.
    func perform(_ operation: DropOperation, _ body: () async throws -> Void) async {
        state.withLock { $0.drop = .running }
        window.open()
        if state.withLock({ !$0.extensions.isEmpty }) { live.tell { [stream] in $0.report(Progress(), on: stream) } }
        // The observer stays until the session ends: callbacks may run after the handler has returned.
        window.progress.observe { [weak self] in self?.reportProgress() }
        var failure: Failure?
        do { try await body() } catch { failure = Failure(ofDrop: error) }
        // An extension may add another one.
        while let next = nextExtension() {
            // The end of the session cancels the extension, which may be waiting for the user.
            let watch = Task { [ending] in
                if (try? await ending.value(for: Call("the drop"))) != nil { next.cancel() }
            }
            defer { watch.cancel() }
            do {
                try await withTaskCancellationHandler {
                    try await next.value
                } onCancel: {
                    next.cancel()
                }
            } catch {
                failure = failure ?? Failure(ofDrop: error)
            }
        }
        await window.close()
        var performed = Performed()
        performed.items = window.takenItems
        performed.failure = failure
        // Callbacks and loads may continue after the handler has returned. The report keeps the limit `conclude` from
        // ending the drop.
        let isQuiet = failure != nil || window.isQuiet
        live.tell { [performed, stream] client in
            if !isQuiet { client.report(Progress(), on: stream) }
            client.performed(performed, on: stream)
        }
        guard failure == nil else { return }
        window.whenQuiet { [weak self, weak window, live, stream] in
            guard let window else { return }
            var conclude = Conclude()
            conclude.items = window.takenItems
            // A lost item does not fail a copy: the handler may have used another representation.
            let failure = window.failure ?? (operation == .move ? window.loss : nil)
            conclude.failure = failure.map { Failure(.refused, $0) }
            self?.state.withLock { $0.drop = .concluded }
            live.tell { [conclude] client in client.conclude(conclude, on: stream) }
        }
    }

    package func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void) {
        let task = Task { @MainActor in try await body() }
        state.withLock { state in
            if [.none, .running].contains(state.drop) { state.extensions.append(task) }
        }
        // After a report the broker no longer applies the limit `drop-window`.
        guard state.withLock({ $0.drop != .none }) else { return }
        live.tell { [stream] client in client.report(Progress(), on: stream) }
    }

    /// Reports progress to the broker, so that no limit ends a drop that makes progress.
    private func reportProgress() {
        let now = ContinuousClock.now
        guard state.withLock({ $0.reports.isDue(at: now) }) else { return }
        let progress = window.progress.now
        // The end of the drop is reported by `conclude`.
        guard !progress.isOver else { return }
        let (fraction, units) = (progress.fractionCompleted, progress.completedUnitCount)
        guard let completed = state.withLock({ $0.reports.next(fraction: fraction, completed: units, at: now) }) else {
            return
        }
        var report = Progress()
        report.completed = completed
        live.tell { [report, stream] client in client.report(report, on: stream) }
    }

    private func nextExtension() -> Task<Void, any Error>? {
        state.withLock { state in
            guard state.extensions.isEmpty else { return state.extensions.removeFirst() }
            state.drop = .returned
            return nil
        }
    }

    /// Adds a hold. The drop is complete only after the hold is released.
    package func holdConclusion() -> DropWindow.Hold {
        window.hold()
    }
}

// MARK: - The stream

extension RemoteDropSession: StreamSink {
    var isCancelled: Bool { false }

    /// Ignores all further events from the broker.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        handle(event)
        return true
    }

    func failed(_ failure: Failure) {
        handle(.failed(stream, failure))
    }

    private func handle(_ event: ClientEvent) {
        let (visited, step) = state.withLock { state -> (DestinationSession, DestinationSession.Step) in
            guard !state.isAbandoned else { return (state.received, .none) }
            let step = state.received.handle(event)
            return (state.received, step)
        }
        switch step {
        case .none: return
        case .over(let outcome):
            // Set here, and not when the queue is read: the handler of the drop must not begin loads in between.
            end(with: Drag.Outcome(outcome))
            destination.forget(stream)
        case .propose, .exited, .perform: break
        }
        destination.queue.append(.session(self, visited, step))
    }

    func deliver() {
        if let outcome { ending.resolve(outcome) }
        destination.queue.wake()
    }
}

extension Failure {
    fileprivate init(ofDrop error: any Error) {
        // The broker adds the name of the destination.
        self.init(.refused, PasteboardError.SourceError(error).message)
    }
}
