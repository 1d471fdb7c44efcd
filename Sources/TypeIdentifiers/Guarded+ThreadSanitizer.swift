#if TSAN
internal import Synchronization

/// As `Mutex`, with an order that ThreadSanitizer sees: it does not look into `Mutex`, and takes every use for a race.
struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let order = Atomic<Int>(0)

    init(_ initial: consuming sending Value) {
        mutex = Mutex(initial)
    }

    func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { value throws(Failure) -> sending Result in
            _ = order.load(ordering: .acquiring)
            defer { order.store(0, ordering: .releasing) }
            return try body(&value)
        }
    }
}
#endif
