public import Synchronization

/// A value that one thread at a time may use. Never held across somebody else's code.
///
/// Public for the optimizer alone, to which bodies of `package` functions are closed elsewhere: each use of a lock would
/// first ask the runtime for the type of its mutex.
public struct Lock<State: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let state: Mutex<State>

    /// An atomic that shows ThreadSanitizer the order of the lock's uses.
    ///
    /// ThreadSanitizer does not see the synchronization inside `Mutex` and would report every use as a race, in the tests
    /// of users too. Swift code cannot find out at compile time whether the sanitizer is on, so the atomic is always
    /// there. It costs a load and a store beside the mutex.
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
