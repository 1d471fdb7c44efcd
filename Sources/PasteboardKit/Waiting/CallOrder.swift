import PasteboardTransport

/// Lets calls that must not overlap run one after the other, in the order in which they began to wait.
package final class CallOrder: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [PendingResult<Void>] = []
    }

    private let state = Lock(State())

    package init() {}

    /// Waits for the turn of a call, which ends it with ``release()``.
    package func acquire(for call: Call) async throws(PasteboardError) {
        let turn = PendingResult<Void>()
        try await turn.value(for: call) {
            self.state.withLock { $0.waiting.removeAll { $0 === turn } }
        } start: {
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(turn)
                return false
            }
            // The call may have been cancelled before it got its turn.
            if isFree, !turn.resolve(.success(())) { release() }
        }
    }

    /// Passes the turn on to the next call.
    package func release() {
        while true {
            let next = state.withLock { state -> PendingResult<Void>? in
                guard !state.waiting.isEmpty else {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next else { return }
            if next.resolve(.success(())) { return }
        }
    }
}
