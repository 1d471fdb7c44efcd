import PasteboardTransport

extension LoadProgress {
    /// The state of a progress at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// The number of completed units.
        public var completedUnitCount: Int64
        /// The total number of units; nil while it is unknown.
        public var totalUnitCount: Int64?
        /// The fraction that is completed, from 0 to 1.
        public var fractionCompleted: Double
        /// Whether all units are completed. A load is finished when it has ended successfully.
        public var isFinished: Bool
        /// Whether it was cancelled.
        public var isCancelled: Bool

        init(_ state: State) {
            completedUnitCount = state.completedUnitCount
            totalUnitCount = state.totalUnitCount < 0 ? nil : state.totalUnitCount
            fractionCompleted = state.fractionCompleted
            isFinished = state.isFinished
            isCancelled = state.isCancelled
        }
    }

    /// The current state and all later ones, coalesced to the newest. The stream ends after the state in which the load
    /// has ended or was cancelled. It also ends when the progress is released.
    public var snapshots: AsyncStream<Snapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let turns = Turns()
            let observer = observe { [weak self] in
                guard let self else { return continuation.finish() }
                turns.run {
                    let now = self.now
                    continuation.yield(Snapshot(now))
                    if now.isOver { continuation.finish() }
                }
            }
            continuation.onTermination = { [weak self] _ in self?.removeObserver(observer) }
        }
    }

    /// Calls `observer` now and after each change, on the thread that makes the change, and once more when the progress
    /// is released.
    @discardableResult
    func observe(_ observer: @escaping @Sendable () -> Void) -> Int {
        let id = state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = observer
            return state.nextObserver
        }
        observer()
        return id
    }

    func removeObserver(_ id: Int) {
        state.withLock { $0.observers[id] = nil }
    }
}

/// Lets one thread at a time deliver changes, so that the newest state is delivered last.
///
/// Several threads change a progress, and the state that one of them has read may be outdated when it delivers it. A
/// thread that finds another one delivering returns, and the other one delivers again.
private final class Turns: Sendable {
    private enum State {
        case free
        case taken
        case takenAgain
    }

    private let state = Lock(State.free)

    func run(_ body: () -> Void) {
        let isMine = state.withLock { state in
            defer { state = state == .free ? .taken : .takenAgain }
            return state == .free
        }
        var goesOn = isMine
        while goesOn {
            body()
            goesOn = state.withLock { state in
                defer { state = state == .takenAgain ? .taken : .free }
                return state == .takenAgain
            }
        }
    }
}
