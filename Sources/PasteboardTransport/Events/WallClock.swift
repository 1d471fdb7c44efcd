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

    /// The local time in a format of `strftime`, such as `%Y-%m-%d`.
    package static func text(_ format: String) -> String {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: 1 << 10)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
