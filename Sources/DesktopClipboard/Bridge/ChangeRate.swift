import PasteboardTransport
import PasteboardWire

/// Cuts the rate of changes to ten in a second, so that programs that answer each other's changes do no harm.
struct ChangeRate {
    static let most = 10
    private static let second: UInt64 = 1_000_000_000

    private var moments: [UInt64] = []
    private var lastReport: UInt64?

    /// Counts a change that is passed on.
    mutating func count(at now: UInt64) { moments = Array((moments + [now]).suffix(Self.most)) }

    /// The time at which the next change may be passed on (see `MonotonicClock`). Until then only the last one is kept.
    var next: UInt64 { moments.count < Self.most ? 0 : moments[0].addingClamped(Self.second) }

    /// Whether to tell the user that the next change waits, which happens at most once a minute.
    mutating func reports(at now: UInt64) -> Bool {
        if let lastReport, now < lastReport.addingClamped(60 * Self.second) { return false }
        lastReport = now
        return true
    }
}
