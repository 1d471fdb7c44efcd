import PasteboardTransport

/// One result for any number of waiters, in whichever order they come.
final class SharedReply<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Reply<Value>] = []
    }

    private let state = Lock(State())

    /// Nil as long as there is none.
    var value: Value? { state.withLock { $0.value } }

    /// How many wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Gives the result; only the first counts. Not called under a lock: the waiters go on.
    func resolve(_ value: Value) {
        let waiters = state.withLock { state -> [Reply<Value>] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resolve(.success(value)) }
    }

    /// Returns the result, also to a cancelled task if it is known already. A waiter that `call` ends is forgotten.
    func value(for call: Call) async throws(PasteboardError) -> Value {
        if let value { return value }
        let waiter = Reply<Value>()
        return try await waiter.value(for: call) {
            self.state.withLock { $0.waiters.removeAll { $0 === waiter } }
        } start: {
            let value = self.state.withLock { state -> Value? in
                // A task that was cancelled before has resolved it already.
                if state.value == nil, !waiter.isResolved { state.waiters.append(waiter) }
                return state.value
            }
            if let value { waiter.resolve(.success(value)) }
        }
    }
}
