import PasteboardTransport

/// A duration as the command line spells it.
enum TimeoutArgument: Equatable {
    case milliseconds(UInt64)
    case infinity

    /// `500ms`, `2s`, `5m`, `1h`, `infinity`; a bare number counts seconds. Fractions are allowed: `0.5s`.
    init(_ spelling: String) throws(CommandFailure) {
        if spelling == "infinity" {
            self = .infinity
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
        self = .milliseconds(UInt64(milliseconds.rounded(.up)))
    }

    /// The time at which the duration is over, if it begins now.
    var deadline: UInt64 {
        switch self {
        case .milliseconds(let count): MonotonicClock.deadline(milliseconds: Int(clamping: count))
        case .infinity: .max
        }
    }

    /// The duration in milliseconds; nil if it has no end.
    var milliseconds: UInt64? {
        switch self {
        case .milliseconds(let count): count
        case .infinity: nil
        }
    }

    /// The value in the message of a load, where 0 requests the longest possible time.
    var loadMilliseconds: UInt64 {
        switch self {
        case .milliseconds(let count): count
        case .infinity: 0
        }
    }
}
