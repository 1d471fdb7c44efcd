import PasteboardTransport

/// The loads of one drop: the period in which they may begin, the loads that are under way, and the end of the drop.
///
/// The window opens when the drop is performed. It closes after the handler and all extensions have returned. A load
/// with a callback begins shortly after its call has returned: the window stays open for it, and the drop is complete
/// only after the callback has returned.
package final class DropWindow: Sendable {
    private enum Phase {
        case before
        case open
        case closing
        case closed
        case over
    }

    private struct State {
        var phase = Phase.before
        /// The number of calls whose load has not begun.
        var beginning = 0
        /// The number of loads and holds that must end before the drop is complete.
        var underWay = 0
        var hasFailedLoads = false
        /// The failure with which the session has ended.
        var interruption: PasteboardError?
        /// The items with a failed load here; `arrived` contains those with a completed one. Bytes that the broker has
        /// sent may still be lost on this side.
        var failed: Set<Int> = []
        var arrived: Set<Int> = []
        /// The reason why the drop fails although all its loads succeeded.
        var failure: String?
        var taken: Set<UInt32> = []
        var closing: PendingResult<Void>?
        var whenQuiet: (@Sendable () -> Void)?
    }

    /// The progress of all loads together.
    let progress = LoadProgress(totalUnitCount: 0)
    private let state = Lock(State())

    init() {
        progress.begin {}
    }

    /// The reason why the drop fails although all its loads succeeded.
    var failure: String? { state.withLock { $0.failure } }

    /// The reason why a move fails: an item that was loaded has not arrived completely.
    var loss: String? {
        state.withLock { state in
            state.failed.subtracting(state.arrived).min().map { "item \($0 + 1) did not arrive completely" }
        }
    }

    /// The items that were taken without a load.
    var takenItems: [UInt32] { state.withLock { $0.taken.sorted() } }

    /// Whether no load or hold is under way.
    var isQuiet: Bool { state.withLock { $0.underWay == 0 } }

    /// Returns the failure that ended the session before a load that was in time: one that began while the handler of
    /// the drop was running, or in a call that it made. nil for any other load, because that is simply too late.
    func interruption(isInTime: Bool) -> PasteboardError? {
        state.withLock { state in
            switch state.phase {
            case .open, .closing: return state.interruption
            case .before, .closed, .over: return isInTime ? state.interruption : nil
            }
        }
    }

    /// Records the failure with which the session has ended.
    func interrupt(_ error: PasteboardError) {
        state.withLock { $0.interruption = error }
    }

    // MARK: The drop

    func open() {
        state.withLock { state in
            if case .before = state.phase { state.phase = .open }
        }
    }

    /// Closes the window, and returns when all requested loads have begun.
    func close() async {
        let closing = PendingResult<Void>()
        let isClosed = state.withLock { state -> Bool in
            guard case .open = state.phase, state.beginning > 0 else {
                if case .open = state.phase { state.phase = .closed }
                return true
            }
            state.phase = .closing
            state.closing = closing
            return false
        }
        if !isClosed { try? await closing.value(onCancel: {}) }
    }

    /// Calls `body` once, as soon as no load or hold is under way. The window must be closed. If the session has
    /// ended, `body` is never called.
    func whenQuiet(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if case .over = state.phase {} else { state.whenQuiet = body }
        }
        endIfQuiet()
    }

    /// Ends the window with its session.
    func end() {
        let closing = state.withLock { state -> PendingResult<Void>? in
            state.phase = .over
            state.whenQuiet = nil
            return state.closing.take()
        }
        closing?.resolve(.success(()))
        progress.end(byteCount: nil)
    }

    // MARK: Loads

    /// Begins a load.
    ///
    /// - Returns: the progress to which the load reports. While the window is open it is a part of the drop's progress;
    ///   otherwise it is `progress`.
    func begin(_ progress: LoadProgress?, item: Int) -> LoadProgress? {
        let counts = state.withLock { state -> Bool in
            switch state.phase {
            case .open, .closing:
                state.underWay += 1
                return true
            case .before, .closed, .over:
                return false
            }
        }
        guard counts else { return progress }
        let part = progress?.makePart() ?? LoadProgress()
        self.progress.change { $0.totalUnitCount += 1 }
        self.progress.addChild(part, withPendingUnitCount: 1)
        let isFirst = Lock(true)
        // A weak reference, because the drop's progress keeps a failed part.
        part.observe { [weak self, weak part] in
            guard part?.now.isOver ?? true, isFirst.withLock({ exchange(&$0, with: false) }) else { return }
            let isComplete = part?.isFinished ?? false
            if isComplete { progress?.end(part) } else { progress?.end(byteCount: nil) }
            self?.state.withLock { state in
                _ = isComplete ? state.arrived.insert(item) : state.failed.insert(item)
            }
            self?.leave(failed: !isComplete)
        }
        return part
    }

    /// Records that the bytes of an item arrived but could not be stored here.
    func lose(_ item: Int) {
        state.withLock { state in
            state.arrived.remove(item)
            state.failed.insert(item)
        }
    }

    /// Begins a call that will begin a load and then invoke a callback. Returns nil if the window is not open.
    func call() -> Hold? {
        let isOpen = state.withLock { state -> Bool in
            guard case .open = state.phase else { return false }
            state.beginning += 1
            state.underWay += 1
            return true
        }
        return isOpen ? Hold(self, hasBegun: false) : nil
    }

    /// Adds a hold: the drop is complete only after it is released.
    func hold() -> Hold {
        state.withLock { $0.underWay += 1 }
        return Hold(self, hasBegun: true)
    }

    fileprivate func leave(failed: Bool = false) {
        state.withLock { state in
            state.underWay -= 1
            if failed { state.hasFailedLoads = true }
        }
        endIfQuiet()
    }

    /// Records that the bytes that arrived are unusable. The drop fails, so the source deletes nothing.
    func fail(_ text: String) {
        state.withLock { $0.failure = $0.failure ?? text }
    }

    func taken(_ item: UInt32) {
        state.withLock { state in
            switch state.phase {
            case .open, .closing, .closed: state.taken.insert(item)
            case .before, .over: break
            }
        }
    }

    fileprivate func begun() {
        let closing = state.withLock { state -> PendingResult<Void>? in
            state.beginning -= 1
            guard state.beginning == 0, case .closing = state.phase else { return nil }
            state.phase = .closed
            return state.closing.take()
        }
        closing?.resolve(.success(()))
    }

    private func endIfQuiet() {
        let (body, isComplete) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
            guard state.underWay == 0 else { return (nil, false) }
            defer { state.whenQuiet = nil }
            return (state.whenQuiet, !state.hasFailedLoads)
        }
        guard let body else { return }
        progress.end(byteCount: isComplete ? 0 : nil)
        body()
    }

    /// A hold on a drop, which is complete only after all its holds are released. Each step counts once, even if it is
    /// reported several times.
    package final class Hold: Sendable {
        private struct Steps {
            var hasBegun: Bool
            var isReleased = false
        }

        private let window: DropWindow
        private let steps: Lock<Steps>

        fileprivate init(_ window: DropWindow, hasBegun: Bool) {
            self.window = window
            steps = Lock(Steps(hasBegun: hasBegun))
        }

        deinit {
            release()
        }

        /// Records that the load of a call was sent, or that there will be none.
        func begun() {
            let isFirst = !steps.withLock { exchange(&$0.hasBegun, with: true) }
            if isFirst { window.begun() }
        }

        /// Records that something that arrived is unusable, so that the source deletes nothing.
        package func fail(_ text: String) {
            window.fail(text)
        }

        /// Releases the hold: a callback has returned, or other work is done.
        package func release() {
            begun()
            let isFirst = !steps.withLock { exchange(&$0.isReleased, with: true) }
            if isFirst { window.leave() }
        }
    }
}
