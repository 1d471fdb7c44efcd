import PasteboardKit
import Synchronization

/// Holds slow loads up until the script says what becomes of their names; from then on it holds these up no more.
final class Gate: Sendable {
    private struct Load {
        let end: AsyncStream<Never>.Continuation
        let progress: LoadProgress
    }

    private struct State {
        /// Whether the bytes come, by name.
        var decided: [String: Bool] = [:]
        var waiting: [String: [Load]] = [:]
        /// How far the loads are, by name.
        var percents: [String: Int64] = [:]
    }

    private let state = Mutex(State())

    /// Lets the bytes of a name come, or fail, now and later.
    func open(_ name: String, succeeding: Bool) {
        let waiting = state.withLock { state in
            state.decided[name] = succeeding
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for load in waiting { load.end.finish() }
    }

    /// Says how far the loads of a name are, now and later.
    func advance(_ name: String, to percent: Int) {
        let waiting = state.withLock { state in
            state.percents[name] = Int64(percent)
            return state.waiting[name] ?? []
        }
        for load in waiting { load.progress.completedUnitCount = Int64(percent) }
    }

    /// Returns once it is decided what becomes of the name.
    ///
    /// - Returns: whether its bytes come.
    /// - Throws: if the task is cancelled before.
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
