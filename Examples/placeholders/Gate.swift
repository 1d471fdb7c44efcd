import Synchronization

/// Holds slow loads up until their names are released; then it holds them up no more.
final class Gate: Sendable {
    private struct State {
        var released: Set<String> = []
        var waiting: [String: [AsyncStream<Never>.Continuation]] = [:]
    }

    private let state = Mutex(State())

    func release(_ name: String) {
        let waiting = state.withLock { state in
            state.released.insert(name)
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Returns once the name is released.
    ///
    /// - Throws: if the task is cancelled before.
    func pass(_ name: String) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let isReleased = state.withLock { state in
            if !state.released.contains(name) { state.waiting[name, default: []].append(continuation) }
            return state.released.contains(name)
        }
        if isReleased { return }
        for await _ in stream {}
        try Task.checkCancellation()
    }
}
