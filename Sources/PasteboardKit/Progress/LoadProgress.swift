import PasteboardTransport

/// How far one load is, and the handle that cancels it. In the shape of Foundation's `Progress`, without Foundation.
///
/// A destination gets one from each load, or hands one in; a source may return one from its handler: what it reports
/// there is what the destination sees, and keeps a slow load alive. All of it may be used from any thread.
public final class LoadProgress: Sendable {
    /// What it tells of.
    enum Phase: Sendable {
        /// Of work that is nobody's load: it is done when all units are.
        case free
        /// Of a load: it is done when the load is, even if its source has reported all units before.
        case loading
        case succeeded
        case failed
    }

    struct State: Sendable {
        var totalUnitCount: Int64
        var completedUnitCount: Int64 = 0
        var isCancelled = false
        var isCancellable = true
        var phase = Phase.free
        var cancellationHandler: (@Sendable () -> Void)?
        /// What the library itself does on cancel.
        var cancelAction: (@Sendable () -> Void)?
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextObserver = 0
        /// Those that are not finished. They are held, so that nobody else needs to; a child does not hold its parent,
        /// which is nobody's business once it is let go.
        var children: [(progress: LoadProgress, pendingUnitCount: Int64)] = []
        var hasHadChildren = false
        weak var parent: LoadProgress?

        var isFinished: Bool {
            switch phase {
            case .free: totalUnitCount >= 0 && completedUnitCount > 0 && completedUnitCount >= totalUnitCount
            case .succeeded: true
            case .loading, .failed: false
            }
        }

        var isOver: Bool { isCancelled || isFinished || phase == .failed }

        /// Asks the children, so it is not for use under the lock.
        var fractionCompleted: Double {
            if isFinished { return 1 }
            guard totalUnitCount > 0 else { return 0 }
            let parts = children.reduce(Double(completedUnitCount)) { sum, child in
                sum + Double(child.pendingUnitCount) * child.progress.fractionCompleted
            }
            return max(0, min(1, parts / Double(totalUnitCount)))
        }
    }

    let state: Lock<State>
    /// The call that a load of a drop was begun by, if it has a callback.
    let call: (any LoadCall)?

    /// Makes a progress of its own.
    ///
    /// - Parameter totalUnitCount: in whatever unit suits; below zero while it is not known.
    public init(totalUnitCount: Int64 = -1) {
        state = Lock(State(totalUnitCount: totalUnitCount))
        call = nil
    }

    init(of call: (any LoadCall)?) {
        state = Lock(State(totalUnitCount: -1))
        self.call = call
    }

    deinit {
        // Whoever still waits for a change waits for nothing.
        for observer in state.withLock({ Array($0.observers.values) }) { observer() }
    }

    /// How many units there are in all; below zero while that is not known. Of a load: bytes, unless the source's
    /// handler reports in a unit of its own.
    public var totalUnitCount: Int64 {
        get { now.totalUnitCount }
        set { change { $0.totalUnitCount = newValue } }
    }

    /// How many units are done, those of finished children included; it may be more than there are in all. `+=` reads and
    /// writes in two steps: of several threads that count, units can be lost.
    public var completedUnitCount: Int64 {
        get { now.completedUnitCount }
        set { change { $0.completedUnitCount = newValue } }
    }

    /// From 0 to 1, unfinished children included by their own fraction; 0 while the total is not known.
    public var fractionCompleted: Double { now.fractionCompleted }

    /// Whether it cannot be said how far it is: the total is not known, or is zero before anything is done.
    public var isIndeterminate: Bool {
        let now = now
        return now.totalUnitCount < 0 || (now.totalUnitCount == 0 && now.completedUnitCount == 0 && !now.isFinished)
    }

    /// Whether everything is done; of a load: whether it has ended, and well.
    public var isFinished: Bool { now.isFinished }

    /// Whether it makes sense to offer cancelling, for whoever shows the progress; true unless set. As with Foundation's
    /// `Progress`, ``cancel()`` does not look at it.
    public var isCancellable: Bool {
        get { now.isCancellable }
        set { change { $0.isCancellable = newValue } }
    }

    /// Whether ``cancel()`` was called in time.
    public var isCancelled: Bool { now.isCancelled }

    /// Called once, on cancel, on the thread that cancels and without a lock held; at once if it is set after that. It is
    /// let go when it has been called and when the load has ended.
    public var cancellationHandler: (@Sendable () -> Void)? {
        get { now.cancellationHandler }
        set {
            let before = exchange { state in
                if !state.isCancelled { state.cancellationHandler = newValue }
            }
            if before.isCancelled { newValue?() }
        }
    }

    /// Asks the work behind this progress, and behind its children, to stop, but not that behind its parent. Once a load
    /// has ended, and a second time, it does nothing.
    public func cancel() {
        let stopped = state.withLock { state -> State? in
            guard !state.isCancelled, state.phase == .free || state.phase == .loading else { return nil }
            let before = state
            state.isCancelled = true
            state.cancelAction = nil
            state.cancellationHandler = nil
            return before
        }
        guard let stopped else { return }
        stopped.cancelAction?()
        stopped.cancellationHandler?()
        for child in stopped.children { child.progress.cancel() }
        changed()
    }

    /// Makes `child` a part of this: its fraction of `unitCount` units counts as done here, and once it is finished they
    /// are. Cancelling this cancels the child.
    ///
    /// A progress is part of one other for good: a child that has a parent already, and one that this is part of itself,
    /// is left where it is.
    public func addChild(_ child: LoadProgress, withPendingUnitCount unitCount: Int64) {
        var ancestor: LoadProgress? = self
        while let next = ancestor {
            if next === child { return }
            ancestor = next.now.parent
        }
        let isAdopted = child.state.withLock { state in
            guard state.parent == nil else { return false }
            state.parent = self
            return true
        }
        guard isAdopted else { return }
        let isCancelled = state.withLock { state in
            state.children.append((child, unitCount))
            state.hasHadChildren = true
            return state.isCancelled
        }
        if isCancelled { child.cancel() }
        childChanged(child)
    }

    // MARK: Changes

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) {
        _ = exchange(body)
        changed()
    }

    /// Changes the state, and gives the one before: what that is the last to hold, a program's handler with all that it has
    /// captured, goes once the lock is free.
    func exchange(_ body: (inout State) -> Void) -> State {
        state.withLock { state in
            let before = state
            body(&state)
            return before
        }
    }

    private func changed() {
        let now = now
        for observer in now.observers.values { observer() }
        now.parent?.childChanged(self)
    }

    private func childChanged(_ child: LoadProgress) {
        if child.isFinished {
            _ = exchange { state in
                guard let index = state.children.firstIndex(where: { $0.progress === child }) else { return }
                state.completedUnitCount &+= state.children.remove(at: index).pendingUnitCount
            }
        }
        changed()
    }
}

/// A call with a callback, of which a load comes. What waits for the load has to wait for the callback, too.
protocol LoadCall: AnyObject, Sendable {
    /// The load has been sent, or there will be none.
    func begun()
    /// What has come is not what it should be.
    func fail(_ text: String)
    /// The callback has returned.
    func end()
}
