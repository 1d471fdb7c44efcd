internal import Synchronization

/// A value that one thread at a time may use: a `Mutex`, and in debug builds an atomic that shows ThreadSanitizer the
/// order of its uses.
///
/// ThreadSanitizer does not see the synchronization inside `Mutex`, and would report every use as a race, also in the
/// tests of programs that use this package. `Lock` does the same for the other modules, which this one does not import.
struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if DEBUG
    private let order = Atomic<Bool>(false)
    #endif

    init(_ initial: consuming sending Value) {
        mutex = Mutex(initial)
    }

    func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) -> sending Result in
            #if DEBUG
            _ = order.load(ordering: .acquiring)
            defer { order.store(false, ordering: .releasing) }
            #endif
            return try body(&value)
        }
    }
}
