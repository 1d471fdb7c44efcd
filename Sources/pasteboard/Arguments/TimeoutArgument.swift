import PasteboardTransport
import PasteboardWire

/// A duration as the command line spells it.
struct TimeoutArgument {
    /// The duration in milliseconds; nil if it has no end.
    let milliseconds: UInt64?

    /// `500ms`, `1m30s`, `1d`, `infinity`; a number without a unit counts seconds. Fractions are allowed: `0.5s`.
    init(_ spelling: String) throws(CommandFailure) {
        if spelling == "infinity" {
            milliseconds = nil
            return
        }
        let text = Double(spelling) == nil ? spelling : "\(spelling)s"
        let milliseconds = Quantity.value(of: text, in: Quantity.times)
        // 285,000 years: a larger value must be a mistake.
        guard let milliseconds, 1..<9_000_000_000_000_000 ~= milliseconds else {
            throw CommandFailure(
                usage: "invalid duration '\(spelling)'; write 500ms, 2s, 1m30s, 1d or infinity"
            )
        }
        self.milliseconds = milliseconds
    }

    /// The time at which the duration is over, if it begins now.
    var deadline: UInt64 {
        milliseconds.map { MonotonicClock.deadline(milliseconds: Int(clamping: $0)) } ?? .max
    }
}
