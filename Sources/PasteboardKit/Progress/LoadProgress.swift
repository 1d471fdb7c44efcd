import PasteboardTransport

/// The progress of one load, and the way to cancel it. It follows Foundation's `Progress`, but does not need
/// Foundation.
///
/// A destination gets a progress from each load, or passes its own. A source may return one from its handler: the
/// destination sees the reports made there, and each report extends the deadlines of the load. All members may be used
/// from any thread.
public final class LoadProgress: Sendable, CustomStringConvertible {
    /// The kind and the phase of the work.
    enum Phase: Sendable {
        /// Work that is not a load. It is finished when all units are completed.
        case free
        /// A load that is under way. It is not finished before its end, even if the source has reported all units as
        /// completed.
        case loading
        case succeeded
        case failed
    }

    struct State: Sendable {
        var totalUnitCount: Int64
        var completedUnitCount: Int64 = 0
        var isCancelled = false
        var phase = Phase.free
        var cancellationHandler: (@Sendable () -> Void)?
        /// The library's own reaction to a cancellation.
        var cancelAction: (@Sendable () -> Void)?
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextObserver = 0
        /// The unfinished children. A parent holds its children, so that callers need not. A child refers to its parent
        /// weakly: once the parent is released, its count is of no interest.
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

        /// Reads the children's fractions under their locks, so it must not be called while the lock is held.
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
    /// The call that began the load of a drop, if that call has a callback.
    let call: DropWindow.Hold?

    /// Makes a progress that belongs to no load.
    ///
    /// - Parameter totalUnitCount: the total, in any unit; below zero while it is unknown.
    public init(totalUnitCount: Int64 = -1) {
        state = Lock(State(totalUnitCount: totalUnitCount))
        call = nil
    }

    init(of call: DropWindow.Hold?) {
        state = Lock(State(totalUnitCount: -1))
        self.call = call
    }

    deinit {
        // The observers have to notice that there will be no more changes.
        for observer in state.withLock({ Array($0.observers.values) }) { observer() }
    }

    /// The numbers of completed and of all units.
    public var description: String { "\(completedUnitCount) of \(totalUnitCount < 0 ? "?" : "\(totalUnitCount)")" }

    /// The total number of units; below zero while it is unknown. The units of a load are bytes, unless the source's
    /// handler reports in another unit.
    public var totalUnitCount: Int64 {
        get { now.totalUnitCount }
        set { change { $0.totalUnitCount = newValue } }
    }

    /// The number of completed units, including those of finished children. It may exceed the total. `+=` reads and
    /// writes in two steps, so concurrent increments may lose units.
    public var completedUnitCount: Int64 {
        get { now.completedUnitCount }
        set { change { $0.completedUnitCount = newValue } }
    }

    /// The fraction that is completed, from 0 to 1. It includes the fractions of unfinished children. It is 0 while the
    /// total is unknown.
    public var fractionCompleted: Double { now.fractionCompleted }

    /// Whether all units are completed. A load is finished when it has ended successfully.
    public var isFinished: Bool { now.isFinished }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { now.isCancelled }

    /// A closure that ``cancel()`` calls once, on the thread of the caller and without a lock held. If it is set after
    /// a cancellation, it is called at once. It is released after the call and at the end of the load.
    public var cancellationHandler: (@Sendable () -> Void)? {
        get { now.cancellationHandler }
        set {
            let before = exchange { state in
                if !state.isCancelled { state.cancellationHandler = newValue }
            }
            if before.isCancelled { newValue?() }
        }
    }

    /// Asks the work of this progress and of its children to stop. The work of its parent continues. The call does
    /// nothing after the load has ended, or when it is repeated.
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

    /// Makes `child` a part of this progress. The child's fraction of `unitCount` units counts as completed here, and
    /// all of these units when the child is finished. Cancelling this progress cancels the child.
    ///
    /// A progress has one parent at most, and keeps it. The call does nothing if `child` already has a parent, or if
    /// this progress is the child itself or a part of it.
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

    /// Changes the state and returns the previous one. That may hold the last reference to a program's handler and the
    /// values it captured, which must be released after unlocking.
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
