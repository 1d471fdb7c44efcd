internal import Synchronization

/// A value that one thread at a time may use. It consists of a `Mutex`, and an atomic that shows ThreadSanitizer the
/// order of its uses.
///
/// ThreadSanitizer does not see the synchronization inside `Mutex`, and would report every use as a race, also in the
/// tests of programs that use this package.
struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let order = Atomic<Bool>(false)

    init(_ initial: consuming sending Value) {
        mutex = Mutex(initial)
    }

    func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) -> sending Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(false, ordering: .releasing) }
            return try body(&value)
        }
    }
}
