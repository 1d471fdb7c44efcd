import PasteboardTransport

extension LoadProgress {
    /// A progress at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// How many units are done.
        public var completedUnitCount: Int64
        /// How many there are in all; nil while that is not known.
        public var totalUnitCount: Int64?
        /// From 0 to 1.
        public var fractionCompleted: Double
        /// Whether everything is done; of a load: whether it has ended, and well.
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

    /// The state of now and every change from now on, coalesced to the newest. It ends when the load has ended or is
    /// cancelled, and that state is the last; it also ends when nobody has the progress any more.
    public var snapshots: AsyncStream<Snapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let turns = Turns()
            let observer = observe { [weak self] in
                guard let self else { return continuation.finish() }
                turns.take {
                    let now = self.now
                    continuation.yield(Snapshot(now))
                    if now.isOver { continuation.finish() }
                }
            }
            continuation.onTermination = { [weak self] _ in self?.removeObserver(observer) }
        }
    }

    /// Calls `observer` now and after each change, on the thread that makes it; a last time when the progress goes.
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

/// Several threads change a progress, and what one of them has read may be old when it is passed on: one at a time passes
/// on, and again when there was another change meanwhile. So the newest is the last.
private final class Turns: Sendable {
    private enum State {
        case free
        case taken
        case takenAgain
    }

    private let state = Lock(State.free)

    func take(_ body: () -> Void) {
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
