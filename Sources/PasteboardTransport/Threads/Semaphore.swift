import CPasteboardSystem
import Glibc

/// A counting semaphore, which wakes a thread that waits for nothing but work.
///
/// Sendable because every use of the semaphore is a call that the system synchronizes.
package final class Semaphore: @unchecked Sendable {
    // At a fixed address, as the C library requires.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes one waiting thread, or lets the next wait return at once.
    package func signal() {
        sem_post(semaphore)
    }

    /// Waits for a signal.
    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }

    /// Waits for a signal, but at most `milliseconds`.
    ///
    /// - Returns: whether there was a signal.
    package func wait(milliseconds: Int) -> Bool {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += milliseconds / 1000
        deadline.tv_nsec += milliseconds % 1000 * 1_000_000
        if deadline.tv_nsec >= 1_000_000_000 {
            deadline.tv_sec += 1
            deadline.tv_nsec -= 1_000_000_000
        }
        while sem_clockwait(semaphore, CLOCK_MONOTONIC, &deadline) != 0 {
            if errno == ETIMEDOUT { return false }
        }
        return true
    }
}
