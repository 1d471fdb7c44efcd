import PasteboardTransport

/// One result for one waiter; either may come first.
///
/// It is a part of the object that makes the request. ``PendingResult`` is a cell of its own, for several owners.
struct ResultCell<Value: Sendable>: ~Copyable, Sendable {
    typealias Outcome = Result<Value, PasteboardError>

    // The states ensure that the waiter is resumed exactly once, so its continuation need not be checked. A checked one
    // is another allocation, and has a size that the compiler does not know. Debug builds use a checked one for
    // ThreadSanitizer: an unchecked one is resumed by inlined code, whose accesses to the task it sees, but not that
    // they precede those of the awaiting task if the continuation is resumed first.
    #if DEBUG
    typealias Continuation = CheckedContinuation<Void, Never>
    #else
    typealias Continuation = UnsafeContinuation<Void, Never>
    #endif

    // Noncopyable, so that the waiter is moved out without reference counting. Not private, because the compiler fails
    // if another file stores a cell.
    enum State: ~Copyable {
        case open
        case awaited(Continuation)
        case resolved(Outcome)
        /// The waiter has the result. It is not kept, because it may refer to this object.
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

    /// Sets the result and resumes the waiter. Only the first result counts. It must not be called under a lock,
    /// because the waiter continues.
    ///
    /// - Returns: whether this was the first result.
    @discardableResult
    func resolve(_ outcome: consuming Outcome) -> Bool {
        // Taken out by the closure, which would otherwise copy it.
        var outcome = Optional(outcome)
        let (isFirst, waiter) = state.withLock { state -> (Bool, Continuation?) in
            switch exchange(&state, with: .delivered) {
            case .open:
                if let outcome = outcome.take() { state = .resolved(outcome) }
                return (true, nil)
            case .awaited(let waiter):
                if let outcome = outcome.take() { state = .resolved(outcome) }
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

    /// Calls `start`, which makes the request, and waits for the result. This method may be called only once.
    ///
    /// `cancel` is called when the task is cancelled. If the task was cancelled before this call, `cancel` runs before
    /// `start`. `cancel` should resolve this object, and `start` should make no request if it is already resolved.
    ///
    /// - Parameter isolation: the actor of the task, which is a parameter because only then the closure below runs on
    ///   it, too. Otherwise the task would continue on another thread before it returns to its actor.
    @inline(__always)
    func value(
        isolation: isolated (any Actor)? = #isolation,
        onCancel cancel: @Sendable () -> Void,
        start: () -> Void = {}
    ) async throws(PasteboardError) -> Value {
        await withTaskCancellationHandler {
            // A closure runs on the actor if it refers to it.
            _ = isolation
            start()
            #if DEBUG
            await withCheckedContinuation { add($0) }
            #else
            await withUnsafeContinuation { add($0) }
            #endif
        } onCancel: {
            cancel()
        }
        // The result is not passed through the continuation, because ThreadSanitizer would report a race on its memory.
        let outcome = state.withLock { state -> Outcome in
            switch exchange(&state, with: .delivered) {
            case .resolved(let outcome): outcome
            default: .failure(.cancelled)
            }
        }
        // `get` would copy the value.
        switch consume outcome {
        case .success(let value): return value
        case .failure(let error): throw error
        }
    }

    /// Stores the waiter, or resumes it if the result already exists.
    private func add(_ waiter: Continuation) {
        let isResolved = state.withLock { state in
            switch exchange(&state, with: .awaited(waiter)) {
            case .resolved(let outcome):
                state = .resolved(outcome)
                return true
            default:
                return false
            }
        }
        if isResolved { waiter.resume() }
    }
}

/// One result for one waiter, with several owners; either may come first.
final class PendingResult<Value: Sendable>: Sendable {
    typealias Outcome = ResultCell<Value>.Outcome

    private let cell = ResultCell<Value>()

    var isResolved: Bool { cell.isResolved }

    /// Sets the result, as ``ResultCell/resolve(_:)`` does.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        cell.resolve(outcome)
    }

    /// Waits for the result, as ``ResultCell/value(isolation:onCancel:start:)`` does.
    func value(
        isolation: isolated (any Actor)? = #isolation,
        onCancel cancel: @Sendable () -> Void,
        start: () -> Void = {}
    ) async throws(PasteboardError) -> Value {
        try await cell.value(isolation: isolation, onCancel: cancel, start: start)
    }
}
