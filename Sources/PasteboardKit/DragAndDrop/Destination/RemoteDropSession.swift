import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A session at a destination of this process. It may have begun in any; the items are loaded through the broker in any case.
package final class RemoteDropSession: DropSession {
    private struct State {
        var visited: DestinationSession
        var items: [DragItem] = []
        var location: DropLocation?
        /// What keeps the window open beside the handler.
        var extensions: [Task<Void, any Error>] = []
        /// Nothing keeps it open any more.
        var isReturned = false
        /// Something was proposed for it, at some time, and since it came last.
        var hasEntered = false
        var isInside = false
        /// The operation of the drop; nil before it.
        var operation: DropOperation?
        /// Whether the broker was told that the drop is complete here.
        var hasConcluded = false
        var reports = DropProgressReports()
    }

    /// How far the loads of the drop are together.
    package var progress: LoadProgress { window.progress }

    let stream: UInt64
    let window: DropWindow
    private let connection: PasteboardConnection
    private let live: LiveConnection
    /// The source's half, if that is in this process.
    private let local: DragRequest?
    private let state: Lock<State>

    init(_ visited: DestinationSession, _ window: DropWindow, connection: PasteboardConnection, live: LiveConnection) {
        stream = visited.stream
        self.window = window
        self.connection = connection
        self.live = live
        let key = live.epoch.map { LocalSessions.Key(epoch: $0, handle: visited.handle) }
        local = key.flatMap { LocalSessions.shared[$0] }
        state = Lock(State(visited: visited))
    }

    // MARK: What it is

    package var items: [DragItem] { state.withLock { $0.items } }
    package var allowsMoveOperation: Bool { state.withLock { $0.visited.allowsMove } }
    package var isRestrictedToDraggingApplication: Bool { state.withLock { $0.visited.isRestricted } }
    package var outcome: Drag.Outcome? { window.outcome }
    package var localDragSession: (any DragSession)? { local?.drag }

    @MainActor
    package func location(in view: InteractionView) -> Point {
        state.withLock { $0.location?.point }.map(view.converting) ?? .zero
    }

    // MARK: What becomes of it

    /// It is as it was `visited` now, and where.
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
            of: handle,
            connection: connection,
            live: live,
            scope: window
        )
        let source = local.map { local in
            DragItem.LocalItem(
                // Asked for only when it is wanted: of items that were added this side may hear first.
                item: {
                    let items = local.items
                    return index < items.count ? items[index] : nil
                },
                taken: { [window] in window.take(UInt32(clamping: index)) }
            )
        }
        return DragItem(itemProvider: received.itemProvider, local: source)
    }

    /// Something was proposed for it.
    func enter() {
        state.withLock { state in
            state.hasEntered = true
            state.isInside = true
        }
    }

    /// - Returns: whether it was inside.
    func leave() -> Bool {
        state.withLock { state in
            defer { state.isInside = false }
            return state.isInside
        }
    }

    var isInside: Bool { state.withLock { $0.isInside } }
    var hasEntered: Bool { state.withLock { $0.hasEntered } }

    /// A source of this process hears first of what is behind it already: what a program sees in one process has one order.
    func letSourceHear() async {
        await local?.reports?.tell()
    }

    /// Waits for the broker's result of a drop that is complete here, even if the task is cancelled. The result comes at
    /// once, and without it the program would not know whether the source deletes what it moved.
    func confirm() async {
        guard state.withLock({ $0.hasConcluded }) else { return }
        let call = Call("the confirmation of the drop", timeout: .seconds(5))
        await Task { [window] in _ = try? await window.ending.value(for: call) }.value
    }

    /// The outcome of a session whose destination is given up before the session ends.
    var abandoned: Drag.Outcome {
        state.withLock { state in
            guard state.operation != nil else { return .cancelled }
            let message =
                state.hasConcluded
                ? "the broker has not confirmed the drop; the source may have completed it"
                : "the destination was given up before its drop was complete"
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
        // The observer stays until the session is over: callbacks may go on after the handler has returned.
        window.progress.observe { [weak self] in self?.reportProgress() }
        var failure: Failure?
        do { try await body() } catch { failure = Failure(ofDrop: error) }
        // One may come of another.
        while let next = nextExtension() {
            // A person is not asked any longer when the session has ended.
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
        // Callbacks and loads may go on after the handler; the report keeps the limit `conclude` from ending the drop.
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
            // Of what was copied another form may do, which the handler knows.
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

    /// Reports progress to the broker, so that no limit ends a drop that goes on.
    private func reportProgress() {
        let now = ContinuousClock.now
        guard state.withLock({ $0.reports.isDue(at: now) }) else { return }
        let progress = window.progress.now
        // The end of the drop is said by `conclude`.
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

    /// The drop is not complete before this, too, is let go of.
    package func holdConclusion() -> Hold {
        Hold(window)
    }

    /// Something that a drop is complete only after.
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

        /// Something that has arrived is not wanted: nothing may be deleted at the source.
        package func fail(_ reason: String) {
            window.fail(reason)
            release()
        }

        /// Only the first time counts.
        package func release() {
            let isFirst = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if isFirst { window.leave() }
        }
    }
}

extension Failure {
    fileprivate init(ofDrop error: any Error) {
        // The broker says whose it is.
        self.init(.refused, PasteboardError.SourceError(error).message)
    }
}
