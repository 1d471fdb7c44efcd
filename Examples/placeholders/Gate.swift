import PasteboardKit
import Synchronization

/// Holds slow loads until the script decides on their names. A decision also applies to later loads.
final class Gate: Sendable {
    private struct Load {
        let end: AsyncStream<Never>.Continuation
        let progress: LoadProgress
    }

    private struct State {
        /// The decision for each name: whether its bytes are sent.
        var decided: [String: Bool] = [:]
        var waiting: [String: [Load]] = [:]
        /// The progress of the loads of each name.
        var percents: [String: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Releases the bytes of a name or makes them fail, for current and later loads.
    func open(_ name: String, succeeding: Bool) {
        let waiting = state.withLock { state in
            state.decided[name] = succeeding
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for load in waiting { load.end.finish() }
    }

    /// Sets the progress of the loads of a name, for current and later loads.
    func advance(_ name: String, to percent: Int) {
        let waiting = state.withLock { state in
            state.percents[name] = Int64(percent)
            return state.waiting[name] ?? []
        }
        for load in waiting { load.progress.completedUnitCount = Int64(percent) }
    }

    /// Waits for the decision on a name.
    ///
    /// - Returns: whether its bytes are sent.
    /// - Throws: if the task is cancelled first.
    func pass(_ name: String, _ progress: LoadProgress) async throws -> Bool {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let (known, percent) = state.withLock { state in
            if state.decided[name] == nil {
                state.waiting[name, default: []].append(Load(end: continuation, progress: progress))
            }
            return (state.decided[name], state.percents[name])
        }
        if let known { return known }
        if let percent { progress.completedUnitCount = percent }
        for await _ in stream {}
        try Task.checkCancellation()
        return state.withLock { $0.decided[name] ?? false }
    }
}
