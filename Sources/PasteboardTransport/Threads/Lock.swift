public import Synchronization

/// A value that one thread at a time can use.
///
/// No foreign code runs while the lock is held. The type is public for the optimizer, which does not see the bodies of
/// `package` functions in other modules: each use of a lock would first ask the runtime for the type of its mutex.
public struct Lock<State: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let state: Mutex<State>
    @usableFromInline let order = SanitizerOrder()

    /// Guards a value.
    @inlinable
    public init(_ initial: consuming sending State) {
        state = Mutex(initial)
    }

    /// Calls the closure with the value, while no other thread uses it.
    @inlinable
    public func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try state.withLock { state throws(Failure) -> sending Result in
            order.acquire()
            defer { order.release() }
            return try body(&state)
        }
    }
}

/// An order between two threads that ThreadSanitizer sees; empty in release builds.
///
/// ThreadSanitizer sees neither the synchronization inside `Mutex`, nor the one between resuming a continuation and
/// awaiting it later, and would report the uses as races, also in the tests of programs that use this package. Swift
/// code cannot find out at compile time whether the sanitizer is on, and those programs should need no flag. So all
/// debug builds, which include sanitizer builds, contain an atomic whose uses it does see.
public struct SanitizerOrder: ~Copyable, Sendable {
    #if DEBUG
    @usableFromInline let flag = Atomic<Bool>(false)
    #endif

    /// Creates an order that nothing has released yet.
    @inlinable
    public init() {}

    /// Orders what follows this call after everything that preceded an earlier `release`.
    @inlinable
    public func acquire() {
        #if DEBUG
        _ = flag.load(ordering: .acquiring)
        #endif
    }

    /// Orders everything before this call before what follows a later `acquire`.
    @inlinable
    public func release() {
        #if DEBUG
        flag.store(false, ordering: .releasing)
        #endif
    }
}
