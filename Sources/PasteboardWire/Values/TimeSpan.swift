/// Durations as people read them.
package enum TimeSpan {
    /// `250 ms`, `1.5 s`, `1 min 44 s`, `1 h`, `2 d 3 h`: at most two units, rounded down.
    package static func text(milliseconds: UInt64) -> String {
        guard milliseconds >= 1_000 else { return milliseconds == 0 ? "0 s" : "\(milliseconds) ms" }
        let seconds = milliseconds / 1_000
        guard seconds >= 60 else {
            let tenths = milliseconds % 1_000 / 100
            return tenths == 0 ? "\(seconds) s" : "\(seconds).\(tenths) s"
        }
        return text(seconds: seconds)
    }

    /// As `text(milliseconds:)`, for a time that is known in seconds only.
    package static func text(seconds: UInt64) -> String {
        let (large, small) =
            switch seconds {
            case ..<60: ((seconds, "s"), (UInt64(0), ""))
            case ..<3_600: ((seconds / 60, "min"), (seconds % 60, "s"))
            case ..<86_400: ((seconds / 3_600, "h"), (seconds % 3_600 / 60, "min"))
            default: ((seconds / 86_400, "d"), (seconds % 86_400 / 3_600, "h"))
            }
        return "\(large.0) \(large.1)" + (small.0 == 0 ? "" : " \(small.0) \(small.1)")
    }
}
