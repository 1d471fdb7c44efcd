/// The times at which reports of a handler's progress are sent: not more often than people or deadlines need.
struct ReportRate: Sendable {
    /// The interval between two reports, in nanoseconds: enough for people, and far below every deadline.
    static let interval: UInt64 = 100_000_000
    /// The number of reports that may be sent without an interval, so that the last one before a long pause is sent.
    static let burst: UInt64 = 10

    private var next: UInt64 = 0

    /// Whether a report is sent now. Called for each report.
    mutating func isDue(at now: UInt64) -> Bool {
        guard now >= next else { return false }
        next = max(next, now - min(now, Self.burst * Self.interval)) + Self.interval
        return true
    }
}
