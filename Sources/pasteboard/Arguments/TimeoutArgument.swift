import PasteboardTransport

/// A duration as the command line spells it.
struct TimeoutArgument {
    /// The duration in milliseconds; nil if it has no end.
    let milliseconds: UInt64?

    /// `500ms`, `2s`, `5m`, `1h`, `infinity`; a bare number counts seconds. Fractions are allowed: `0.5s`.
    init(_ spelling: String) throws(CommandFailure) {
        if spelling == "infinity" {
            milliseconds = nil
            return
        }
        let number = spelling.prefix { $0 == "." || ("0"..."9").contains($0) }
        let units: [Substring: Double] = ["": 1_000, "s": 1_000, "ms": 1, "m": 60_000, "h": 3_600_000]
        let milliseconds = Double(number).flatMap { count in units[spelling.dropFirst(number.count)].map { count * $0 }
        }
        // 285,000 years: a larger value must be a mistake.
        guard let milliseconds, milliseconds > 0, milliseconds < 9e15 else {
            throw CommandFailure(
                usage: "invalid duration '\(spelling)'; write 500ms, 2s, 5m, 1h or infinity"
            )
        }
        self.milliseconds = UInt64(milliseconds.rounded(.up))
    }

    /// The time at which the duration is over, if it begins now.
    var deadline: UInt64 {
        milliseconds.map { MonotonicClock.deadline(milliseconds: Int(clamping: $0)) } ?? .max
    }
}
