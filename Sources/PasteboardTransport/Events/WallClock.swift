import Glibc
import PasteboardWire

/// The clock of the wall, which may be set.
package enum WallClock {
    /// Microseconds since 1970.
    package static func microseconds() -> UInt64 {
        var time = timespec()
        // Cannot fail: this clock exists on every Linux, and the address is valid.
        _ = clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000_000).partialValue
            .addingClamped(UInt64(clamping: time.tv_nsec / 1_000))
    }
}
