import PasteboardTransport

/// One result for one waiter, in whichever order the two come: what every request waits with.
final class PendingResult<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PasteboardError>

    // Not copyable, so that the waiter is moved out and nothing is counted.
    private enum State: ~Copyable {
        case open
        case awaited(CheckedContinuation<Void, Never>)
        case resolved(Outcome)
        /// The waiter has the result. It is not kept: it may hold, in the end, this.
        case delivered
    }

    private let state = Lock(State.open)

    var isResolved: Bool {
        state.withLock { state in
            switch state {
            case .open: false
            case .awaited: false
            case .resolved: true
            case .delivered: true
            }
        }
    }

    /// Gives the result; only the first counts. Not called under a lock: the waiter goes on.
    ///
    /// - Returns: whether it was the first.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            switch exchange(&state, with: .delivered) {
            case .open:
                state = .resolved(outcome)
                return (true, nil)
            case .awaited(let waiter):
                state = .resolved(outcome)
                return (true, waiter)
            case .resolved(let first):
                state = .resolved(first)
                return (false, nil)
            case .delivered:
                return (false, nil)
            }
        }
        waiter?.resume()
        return isFirst
    }

    /// Makes the request with `start` and waits for the result, once. A cancelled task calls `cancel`, before the start if
    /// it is cancelled already; it should resolve this, and a request that is resolved is not made.
    func value(
        onCancel cancel: @escaping @Sendable () -> Void,
        start: () -> Void = {}
    ) async throws(PasteboardError) -> Value {
        await withTaskCancellationHandler {
            start()
            await withCheckedContinuation { continuation in
                let isResolved = state.withLock { state in
                    switch exchange(&state, with: .awaited(continuation)) {
                    case .resolved(let outcome):
                        state = .resolved(outcome)
                        return true
                    default:
                        return false
                    }
                }
                if isResolved { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        // Not handed over by the continuation: where that is resumed before it is awaited, ThreadSanitizer sees no order
        // between the two, and takes a result on the heap for a race.
        let outcome = state.withLock { state -> Outcome in
            switch exchange(&state, with: .delivered) {
            case .resolved(let outcome): outcome
            default: .failure(.cancelled)
            }
        }
        return try outcome.get()
    }
}
