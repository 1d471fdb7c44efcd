import PasteboardTransport

/// One result for one waiter, in whichever order the two come: what every request waits with.
final class Reply<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PasteboardError>

    private enum State {
        case open
        case awaited(CheckedContinuation<Outcome, Never>)
        case resolved(Outcome)
        /// The waiter has the result. It is not kept: it may hold, in the end, this.
        case delivered
    }

    private let state = Lock(State.open)

    var isResolved: Bool {
        state.withLock { state in
            switch state {
            case .open, .awaited: false
            case .resolved, .delivered: true
            }
        }
    }

    /// Gives the result; only the first counts. Not called under a lock: the waiter goes on.
    ///
    /// - Returns: whether it was the first.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            switch state {
            case .resolved, .delivered:
                return (false, nil)
            case .open:
                state = .resolved(outcome)
                return (true, nil)
            case .awaited(let waiter):
                state = .delivered
                return (true, waiter)
            }
        }
        waiter?.resume(returning: outcome)
        return isFirst
    }

    /// Makes the request with `start` and waits for the result, once. A cancelled task calls `cancel`, before the start if
    /// it is cancelled already; it should resolve this, and a request that is resolved is not made.
    func value(
        onCancel cancel: @escaping @Sendable () -> Void,
        start: () -> Void = {}
    ) async throws(PasteboardError) -> Value {
        let outcome = await withTaskCancellationHandler {
            start()
            return await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    guard case .resolved(let outcome) = state else {
                        state = .awaited(continuation)
                        return nil
                    }
                    state = .delivered
                    return outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }
}
