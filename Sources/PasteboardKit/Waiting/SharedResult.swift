import PasteboardTransport

/// One result for any number of waiters; it may come before or after them.
final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [PendingResult<Value>] = []
    }

    private let state = Lock(State())

    /// The result; nil if there is none yet.
    var value: Value? { state.withLock { $0.value } }

    /// Sets the result and resumes the waiters. Only the first result counts. Not called under a lock.
    func resolve(_ value: Value) {
        let waiters = state.withLock { state -> [PendingResult<Value>] in
            guard state.value == nil else { return [] }
            state.value = value
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.resolve(.success(value)) }
    }

    /// Waits for the result. A result that is already known is returned even if the task is cancelled.
    func value(for call: Call) async throws(PasteboardError) -> Value {
        if let value { return value }
        let waiter = PendingResult<Value>()
        return try await waiter.value(for: call) {
            self.state.withLock { $0.waiters.removeAll { $0 === waiter } }
        } start: {
            let value = self.state.withLock { state -> Value? in
                // If the task was already cancelled, the waiter is resolved and must not be kept.
                if state.value == nil, !waiter.isResolved { state.waiters.append(waiter) }
                return state.value
            }
            if let value { waiter.resolve(.success(value)) }
        }
    }
}
