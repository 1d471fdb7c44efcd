import PasteboardTransport

/// The loads of one drop: when they may begin, which are under way, and when the drop is complete.
///
/// It opens when the drop is performed and closes once the handler and what extends it have returned. A load that a callback
/// waits for begins a moment after its call has returned: the window stays open for it, and the drop is complete only when
/// the callback has returned.
final class DropWindow: LoadScope {
    private enum Phase {
        case before
        case open
        case closing
        case closed
        case over
    }

    private struct State {
        var phase = Phase.before
        /// Calls whose load has not begun.
        var beginning = 0
        /// Loads, calls and whatever else the drop is complete only after.
        var underWay = 0
        var hasFailedLoads = false
        /// The result of the session; nil until it is over.
        var outcome: Drag.Outcome?
        /// Items of which a load has not ended well here, and those of which one has: what the broker has handed over may
        /// still be lost on this side.
        var failed: Set<Int> = []
        var arrived: Set<Int> = []
        /// Why the drop cannot be completed, although all loads are well.
        var failure: String?
        var taken: Set<UInt32> = []
        var closing: PendingResult<Void>?
        var whenQuiet: (@Sendable () -> Void)?
    }

    /// Of all loads together.
    let progress = LoadProgress(totalUnitCount: 0)
    /// The result of the session, for callers that wait for it.
    let ending = SharedResult<Drag.Outcome>()
    private let state = Lock(State())

    init() {
        progress.begin {}
    }

    /// Why the drop is not to be completed.
    var failure: String? { state.withLock { $0.failure } }

    /// Why a move is not to be completed: what was asked for is not all here.
    var loss: String? {
        state.withLock { state in
            state.failed.subtracting(state.arrived).min().map { "item \($0 + 1) did not come whole" }
        }
    }

    /// Items that were taken without a load.
    var takenItems: [UInt32] { state.withLock { $0.taken.sorted() } }

    /// Whether nothing is under way.
    var isQuiet: Bool { state.withLock { $0.underWay == 0 } }

    /// The result of the session; nil until it is over.
    var outcome: Drag.Outcome? { state.withLock { $0.outcome } }

    /// The failure of a drop whose handler is still running: no load can begin any more. Nil once the window is closed,
    /// because a load is then simply too late.
    var interruption: PasteboardError? {
        state.withLock { state in
            guard case .failed(let error) = state.outcome else { return nil }
            switch state.phase {
            case .open, .closing: return error
            case .before, .closed, .over: return nil
            }
        }
    }

    /// Records the result of the session. Only the first one counts.
    func sessionEnded(_ outcome: Drag.Outcome) {
        state.withLock { $0.outcome = $0.outcome ?? outcome }
    }

    // MARK: The drop

    func open() {
        state.withLock { state in
            if case .before = state.phase { state.phase = .open }
        }
    }

    /// Returns when everything that was called for has begun.
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

    /// Calls `body` once, when nothing is under way any more. For a window that is closed; of one that is over, never.
    func whenQuiet(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if case .over = state.phase {} else { state.whenQuiet = body }
        }
        settle()
    }

    /// The session is over.
    func end() {
        let closing = state.withLock { state -> PendingResult<Void>? in
            state.phase = .over
            state.whenQuiet = nil
            defer { state.closing = nil }
            return state.closing
        }
        closing?.resolve(.success(()))
        progress.end(byteCount: nil)
    }

    // MARK: What is under way

    /// A load begins.
    ///
    /// - Returns: the progress that it is to report to, as a part of the drop's.
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
        // Weak: a part that has failed stays with the whole.
        part.observe { [weak self, weak part] in
            guard part?.now.isOver ?? true, isFirst.take() else { return }
            let isComplete = part?.isFinished ?? false
            if isComplete { progress?.end(part) } else { progress?.end(byteCount: nil) }
            self?.ended(item, isComplete)
        }
        return part
    }

    /// What had come of an item could not be kept here.
    func lose(_ item: Int) {
        state.withLock { state in
            state.arrived.remove(item)
            state.failed.insert(item)
        }
    }

    private func ended(_ item: Int, _ isComplete: Bool) {
        state.withLock { state in
            _ = isComplete ? state.arrived.insert(item) : state.failed.insert(item)
        }
        leave(failed: !isComplete)
    }

    /// A call of which a load, and then a callback, come; nil if the window is not open.
    func call() -> (any LoadCall)? {
        let isOpen = state.withLock { state -> Bool in
            guard case .open = state.phase else { return false }
            state.beginning += 1
            state.underWay += 1
            return true
        }
        return isOpen ? Call(self) : nil
    }

    /// Something else that the drop is complete only after.
    func hold() {
        state.withLock { $0.underWay += 1 }
    }

    func leave(failed: Bool = false) {
        state.withLock { state in
            state.underWay -= 1
            if failed { state.hasFailedLoads = true }
        }
        settle()
    }

    /// Something that has arrived is not what it should be: nothing may be deleted for it.
    func fail(_ text: String) {
        state.withLock { $0.failure = $0.failure ?? text }
    }

    func take(_ item: UInt32) {
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
            defer { state.closing = nil }
            return state.closing
        }
        closing?.resolve(.success(()))
    }

    private func settle() {
        let (body, isComplete) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
            guard state.underWay == 0 else { return (nil, false) }
            defer { state.whenQuiet = nil }
            return (state.whenQuiet, !state.hasFailedLoads)
        }
        guard let body else { return }
        progress.end(byteCount: isComplete ? 0 : nil)
        body()
    }

    /// One call that a load and a callback come of. Each step counts once, however often it is told.
    final class Call: LoadCall {
        private struct Steps {
            var hasBegun = false
            var isOver = false
        }

        private let window: DropWindow
        private let steps = Lock(Steps())

        fileprivate init(_ window: DropWindow) {
            self.window = window
        }

        deinit {
            end()
        }

        /// The load has been sent, or there will be none.
        func begun() {
            let isFirst = steps.withLock { steps in
                defer { steps.hasBegun = true }
                return !steps.hasBegun
            }
            if isFirst { window.begun() }
        }

        /// What has come is not what it should be.
        func fail(_ text: String) {
            window.fail(text)
        }

        /// The callback has returned.
        func end() {
            begun()
            let isFirst = steps.withLock { steps in
                defer { steps.isOver = true }
                return !steps.isOver
            }
            if isFirst { window.leave() }
        }
    }
}

extension Lock<Bool> {
    /// Whether it was true; it is false then.
    fileprivate func take() -> Bool {
        withLock { value in
            defer { value = false }
            return value
        }
    }
}
