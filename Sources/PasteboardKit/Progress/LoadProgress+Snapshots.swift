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
        /// Whether everything is done.
        public var isFinished: Bool
        /// Whether it was cancelled.
        public var isCancelled: Bool
    }

    /// The state of now and every change from now on, coalesced to the newest. It ends when the load has ended.
    public var snapshots: AsyncStream<Snapshot> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let observer = observe { [weak self] in
                guard let self else { return continuation.finish() }
                continuation.yield(snapshot)
                if isOver { continuation.finish() }
            }
            continuation.onTermination = { [weak self] _ in self?.removeObserver(observer) }
        }
    }

    private var snapshot: Snapshot {
        let fraction = fractionCompleted
        return state.withLock { state in
            Snapshot(
                completedUnitCount: state.completedUnitCount,
                totalUnitCount: state.totalUnitCount < 0 ? nil : state.totalUnitCount,
                fractionCompleted: fraction,
                isFinished: state.isFinished,
                isCancelled: state.isCancelled
            )
        }
    }

    private var isOver: Bool {
        state.withLock { $0.hasEnded || $0.isCancelled || $0.isFinished }
    }

    /// Calls `observer` now and after each change, on the thread that makes it.
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

    private func removeObserver(_ id: Int) {
        state.withLock { $0.observers[id] = nil }
    }
}
