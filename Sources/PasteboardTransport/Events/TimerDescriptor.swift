import CPasteboardSystem
import Glibc
import PasteboardWire

/// A descriptor that becomes readable at a given time.
///
/// A wait with a timeout arms and disarms a kernel timer each time. Deadlines are seconds ahead and change rarely, so
/// one timer that is set when the earliest deadline changes is cheaper than a timeout for each wait. A suspension of
/// the machine counts, so that it may be early, but never late by the time of a suspension.
package struct TimerDescriptor: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// Readable once the time has passed.
    package var raw: CInt { descriptor.raw }

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: try System.call("timerfd_create") { pbs_timer_descriptor() })
    }

    /// Replaces the time, in nanoseconds of `MonotonicClock`. The descriptor is unreadable until then.
    package func set(to time: UInt64) throws(SystemError) {
        let left = time - min(time, MonotonicClock.now())
        // The microsecond that has begun is over before the time.
        let due = ((MonotonicClock.bootMicroseconds() + 1) &* 1_000).addingClamped(left)
        _ = try System.call("timerfd_settime") { pbs_set_timer(descriptor.raw, due) }
    }

    /// Makes the descriptor unreadable after it has become readable.
    package func drain() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
    }
}
