import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A session at a destination of this process. The items are loaded through the broker even if the session began in
/// this process.
package final class RemoteDropSession: DropSession {
    private struct State {
        var visited: DestinationSession
        var items: [DragItem] = []
        var location: DropLocation?
        /// The extensions of the drop window that were not awaited yet.
        var extensions: [Task<Void, any Error>] = []
        /// Whether the handler and all extensions have returned.
        var isReturned = false
        /// Whether a proposal was ever made for the session (`hasEntered`), and whether one was made since it last
        /// entered (`isInside`).
        var hasEntered = false
        var isInside = false
        /// The operation of the drop; nil before it.
        var operation: DropOperation?
        /// Whether the broker was notified that the drop is complete here.
        var hasConcluded = false
        var reports = DropProgressReports()
    }

    /// The progress of all loads of the drop together.
    package var progress: LoadProgress { window.progress }

    let stream: UInt64
    let window: DropWindow
    private let connection: PasteboardConnection
    private let live: LiveConnection
    /// The source's request, if the session began in this process.
    private let local: DragRequest?
    private let state: Lock<State>

    init(_ visited: DestinationSession, _ window: DropWindow, connection: PasteboardConnection, live: LiveConnection) {
        stream = visited.stream
        self.window = window
        self.connection = connection
        self.live = live
        local = live.epoch.flatMap { DragRequest.session(visited.handle, epoch: $0) }
        state = Lock(State(visited: visited))
    }

    // MARK: Properties

    package var items: [DragItem] { state.withLock { $0.items } }
    package var allowsMoveOperation: Bool { state.withLock { $0.visited.allowsMove } }
    package var isRestrictedToDraggingApplication: Bool { state.withLock { $0.visited.isRestricted } }
    package var outcome: Drag.Outcome? { window.outcome }
    package var localDragSession: (any DragSession)? { local?.drag }
    package var location: DropLocation? { state.withLock { $0.location } }

    // MARK: Events

    /// Updates the session's data, items and location.
    func update(_ visited: DestinationSession, at location: DropLocation) {
        let count = state.withLock { $0.items.count }
        let added = visited.items.dropFirst(count).enumerated().map { index, item in
            makeItem(item, at: count + index, of: visited.handle)
        }
        state.withLock { state in
            state.visited = visited
            state.items += added
            state.location = location
        }
    }

    private func makeItem(_ item: Item, at index: Int, of handle: UInt64) -> DragItem {
        let received = PasteboardItem(
            item,
            at: index,
            of: ContentsName(handle: handle),
            connection: connection,
            live: live,
            scope: window
        )
        let source = local.map { local in
            DragItem.LocalItem(
                // Read only when it is needed: this destination may be notified of added items before the source.
                item: {
                    let items = local.items
                    return index < items.count ? items[index] : nil
                },
                taken: { [window] in window.taken(UInt32(clamping: index)) }
            )
        }
        return DragItem(itemProvider: received.itemProvider, local: source)
    }

    /// Records that a proposal was made.
    func enter() {
        state.withLock { state in
            state.hasEntered = true
            state.isInside = true
        }
    }

    /// - Returns: whether a proposal was made since the session entered.
    func leave() -> Bool {
        state.withLock { exchange(&$0.isInside, with: false) }
    }

    var isInside: Bool { state.withLock { $0.isInside } }
    var hasEntered: Bool { state.withLock { $0.hasEntered } }

    /// Waits until a source in this process was notified of all earlier events. A program that is both source and
    /// destination thus sees one order.
    func notifySource() async {
        await local?.reports?.tell()
    }

    /// Waits for the broker's result of a drop that is complete here, even if the task is cancelled. The result arrives
    /// soon, and without it the program would not know whether the source deletes the moved items.
    func confirm() async {
        guard state.withLock({ $0.hasConcluded }) else { return }
        let call = Call("the confirmation of the drop", timeout: .seconds(5))
        await Task { [window] in _ = try? await window.ending.value(for: call) }.value
    }

    /// The outcome of a session whose registration ends before the session does.
    var abandoned: Drag.Outcome {
        state.withLock { state in
            guard state.operation != nil else { return .cancelled }
            let message =
                state.hasConcluded
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
        state.withLock { $0.operation = operation }
        window.open()
        if state.withLock({ !$0.extensions.isEmpty }) { live.tell { [stream] in $0.report(Progress(), on: stream) } }
        // The observer stays until the session ends: callbacks may run after the handler has returned.
        window.progress.observe { [weak self] in self?.reportProgress() }
        var failure: Failure?
        do { try await body() } catch { failure = Failure(ofDrop: error) }
        // An extension may add another one.
        while let next = nextExtension() {
            // The end of the session cancels the extension, which may be waiting for the user.
            let watch = Task { [window] in
                if (try? await window.ending.value(for: Call("the drop"))) != nil { next.cancel() }
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
            self?.state.withLock { $0.hasConcluded = true }
            live.tell { [conclude] client in client.conclude(conclude, on: stream) }
        }
    }

    package func extendDropWindow(_ body: @escaping @MainActor () async throws -> Void) {
        let task = Task { @MainActor in try await body() }
        state.withLock { state in
            if !state.isReturned { state.extensions.append(task) }
        }
        // After a report the broker no longer applies the limit `drop-window`.
        guard state.withLock({ $0.operation != nil }) else { return }
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
            state.isReturned = state.extensions.isEmpty
            return state.isReturned ? nil : state.extensions.removeFirst()
        }
    }

    /// Adds a hold. The drop is complete only after the hold is released.
    package func holdConclusion() -> Hold {
        Hold(window)
    }

    /// A hold on a drop, which is complete only after all its holds are released.
    package final class Hold: Sendable {
        private let window: DropWindow
        private let isHeld = Lock(true)

        fileprivate init(_ window: DropWindow) {
            self.window = window
            window.hold()
        }

        deinit {
            release()
        }

        /// Records that something that arrived is unusable, so that the source deletes nothing, and releases the hold.
        package func fail(_ reason: String) {
            window.fail(reason)
            release()
        }

        /// Releases the hold. Only the first call counts.
        package func release() {
            let isFirst = isHeld.withLock { exchange(&$0, with: false) }
            if isFirst { window.leave() }
        }
    }
}

extension Failure {
    fileprivate init(ofDrop error: any Error) {
        // The broker adds the name of the destination.
        self.init(.refused, PasteboardError.SourceError(error).message)
    }
}
