import PasteboardTransport

/// How far one load is, and the handle that cancels it. In the shape of Foundation's `Progress`, without Foundation.
///
/// A destination gets one from each load, or hands one in; a source may return one from its handler: what it reports
/// there is what the destination sees, and keeps a slow load alive. All of it may be used from any thread.
public final class LoadProgress: Sendable {
    struct State {
        var totalUnitCount: Int64
        var completedUnitCount: Int64 = 0
        var isCancelled = false
        /// The load it belongs to is over, whichever way.
        var hasEnded = false
        var cancellationHandler: (@Sendable () -> Void)?
        /// What the library itself does on cancel.
        var cancelAction: (@Sendable () -> Void)?
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextObserver = 0
        var children: [(progress: LoadProgress, pendingUnitCount: Int64)] = []
        weak var parent: LoadProgress?

        var isFinished: Bool {
            totalUnitCount >= 0 && completedUnitCount >= totalUnitCount && (completedUnitCount > 0 || hasEnded)
        }
    }

    let state: Lock<State>

    /// Makes a progress of its own.
    ///
    /// - Parameter totalUnitCount: in whatever unit suits; below zero while it is not known.
    public init(totalUnitCount: Int64 = -1) {
        state = Lock(State(totalUnitCount: totalUnitCount))
    }

    /// How many units there are in all; below zero while that is not known. Of a load: bytes, unless the source's
    /// handler reports in a unit of its own.
    public var totalUnitCount: Int64 {
        get { state.withLock { $0.totalUnitCount } }
        set { change { $0.totalUnitCount = newValue } }
    }

    /// How many units are done. `+=` reads and writes in two steps: of several threads that count, units can be lost.
    public var completedUnitCount: Int64 {
        get { state.withLock { $0.completedUnitCount } }
        set { change { $0.completedUnitCount = newValue } }
    }

    /// From 0 to 1, children included; 0 while the total is not known.
    public var fractionCompleted: Double {
        let (total, completed, isFinished, children) = state.withLock {
            ($0.totalUnitCount, $0.completedUnitCount, $0.isFinished, $0.children)
        }
        if isFinished { return 1 }
        guard total > 0 else { return 0 }
        let parts = children.reduce(Double(completed)) { sum, child in
            sum + Double(child.pendingUnitCount) * child.progress.fractionCompleted
        }
        return max(0, min(1, parts / Double(total)))
    }

    /// Whether the total is not known.
    public var isIndeterminate: Bool { state.withLock { $0.totalUnitCount < 0 } }

    /// Whether everything is done.
    public var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Called once, on cancel, on the thread that cancels; at once if it is set after that.
    public var cancellationHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.cancellationHandler } }
        set {
            let isLate = state.withLock { state in
                state.cancellationHandler = newValue
                return state.isCancelled
            }
            if isLate { newValue?() }
        }
    }

    /// Asks the work behind this progress, and behind its children, to stop. After the end it does nothing.
    public func cancel() {
        let (handlers, children) = state.withLock { state -> ([@Sendable () -> Void], [LoadProgress]) in
            guard !state.isCancelled, !state.hasEnded, !state.isFinished else { return ([], []) }
            state.isCancelled = true
            let handlers = [state.cancelAction, state.cancellationHandler].compactMap { $0 }
            state.cancelAction = nil
            return (handlers, state.children.map(\.progress))
        }
        for handler in handlers { handler() }
        for child in children { child.cancel() }
        changed()
    }

    /// Makes `child` a part of this: once it is finished, `unitCount` units of this are.
    public func addChild(_ child: LoadProgress, withPendingUnitCount unitCount: Int64) {
        child.state.withLock { $0.parent = self }
        let isCancelled = state.withLock { state in
            state.children.append((child, unitCount))
            return state.isCancelled
        }
        if isCancelled { child.cancel() }
        childChanged(child)
    }

    // MARK: Changes

    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        changed()
    }

    private func changed() {
        let (observers, parent) = state.withLock { (Array($0.observers.values), $0.parent) }
        for observer in observers { observer() }
        parent?.childChanged(self)
    }

    private func childChanged(_ child: LoadProgress) {
        if child.isFinished {
            state.withLock { state in
                guard let index = state.children.firstIndex(where: { $0.progress === child }) else { return }
                state.completedUnitCount &+= state.children.remove(at: index).pendingUnitCount
            }
        }
        changed()
    }
}
