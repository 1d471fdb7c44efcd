import Glibc
import PasteboardWire

/// A clock whose time never decreases.
package enum MonotonicClock {
    /// Nanoseconds since a time before this process started. The clock stops while the machine sleeps.
    package static func now() -> UInt64 {
        let time = read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The value of `now()` at the last tick of the system's timer, for periods of seconds, at a fifth of the cost.
    package static func recent() -> UInt64 {
        let time = read(CLOCK_MONOTONIC_COARSE)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static let longestTick: UInt64 = 10_000_000

    /// Returns false only before `deadline`, at a fifth of the cost of `now()`.
    package static func mayBeOver(_ deadline: UInt64) -> Bool {
        deadline != .max && recent() + longestTick >= deadline
    }

    /// Whether `deadline` is over. Usually it is not, and the answer costs a fifth of `now()`.
    package static func isOver(_ deadline: UInt64) -> Bool {
        mayBeOver(deadline) && now() >= deadline
    }

    /// Microseconds since the machine started, including sleep, the same for all processes of one boot.
    package static func bootMicroseconds() -> UInt64 {
        let time = read(CLOCK_BOOTTIME)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// The value of `now()` after `milliseconds`.
    package static func deadline(milliseconds: Int) -> UInt64 {
        let (nanoseconds, overflow) = UInt64(max(0, milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .max : now().addingClamped(nanoseconds)
    }

    /// The time left until `deadline`, rounded up, so that a wait of this length does not end early.
    package static func millisecondsLeft(until deadline: UInt64) -> CInt {
        let now = now()
        guard deadline > now else { return 0 }
        let left = (deadline - now - 1) / 1_000_000 + 1
        return CInt(clamping: left)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Cannot fail: these clocks exist on every Linux, and the address is valid.
        _ = clock_gettime(clock, &time)
        return time
    }
}
