import CPasteboardSystem
import Glibc

/// A descriptor that becomes readable at a time.
///
/// A wait with a timeout arms and disarms a timer of the kernel each time. Deadlines lie seconds ahead and move seldom,
/// so one timer that is set when the first of them changes is cheaper than a timeout for each wait.
package struct TimerDescriptor: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// To be watched for readability.
    package var raw: CInt { descriptor.raw }

    package init() throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: try System.call("timerfd_create") { pbs_timer_descriptor() })
    }

    /// Sets the only time, in nanoseconds of `MonotonicClock`; the descriptor is unreadable until then.
    package func set(to time: UInt64) throws(SystemError) {
        // Zero would switch the timer off.
        _ = try System.call("timerfd_settime") { pbs_set_timer(descriptor.raw, max(1, time)) }
    }

    /// Makes the descriptor unreadable after its time.
    package func drain() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor.raw, &count, MemoryLayout<UInt64>.size)
    }
}
