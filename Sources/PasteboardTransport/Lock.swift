public import Synchronization

/// A value that one thread at a time may use. Never held across somebody else's code.
///
/// Public for the optimizer alone, to which bodies of `package` functions are closed elsewhere: each use of a lock would
/// first ask the runtime for the type of its mutex.
public struct Lock<State: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let state: Mutex<State>

    /// The order of the lock's uses, for ThreadSanitizer.
    ///
    /// It does not look into `Mutex`, and would take every use for a race in a user's tests. No setting of a build
    /// names the sanitizer to Swift code, so this is always there: a load and a store beside the mutex's own word.
    @usableFromInline let order = Atomic<Bool>(false)

    /// Guards a value.
    @inlinable
    public init(_ initial: consuming sending State) {
        state = Mutex(initial)
    }

    /// Uses the value, while nobody else does.
    @inlinable
    public func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { state throws(Failure) -> sending Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(false, ordering: .releasing) }
            return try body(&state)
        }
    }
}
