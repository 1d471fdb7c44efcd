#if TSAN
import Glibc

/// As the other `Lock`, on a lock that ThreadSanitizer understands: it takes every use of `Mutex` for a race.
///
/// Sendable because the state is reached only while the lock is held.
package final class Lock<State: ~Copyable>: @unchecked Sendable {
    // At a fixed address, as pthread demands.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state: State

    package init(_ initial: consuming sending State) {
        state = initial
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
#endif
