import PasteboardTransport

/// The clock of the deadlines, in milliseconds: a monotonic clock that skips most of a suspension.
///
/// A wake more than ``grace`` after the timer was due means that the broker, and perhaps its peers, were suspended, or
/// that a turn took long. The clock then continues at most ``grace`` before the time that was due, so that peers that
/// were suspended, too, have a moment to continue.
struct LoopClock {
    /// A wake that is later than this after the timer was due counts as a suspension. In milliseconds.
    static let grace: UInt64 = 250

    private let monotonic: @Sendable () -> UInt64
    /// The total time that was skipped.
    private(set) var lost: UInt64 = 0
    /// The time of the last wake.
    private(set) var now: UInt64

    init(_ monotonic: @escaping @Sendable () -> UInt64) {
        self.monotonic = monotonic
        now = monotonic()
    }

    /// Sets the time after a wait.
    ///
    /// - Parameter due: the time at which the timer was to end the wait; the greatest number if it was not set.
    /// - Returns: whether that time has come.
    mutating func wake(due: UInt64) -> Bool {
        let monotonic = monotonic()
        var time = max(now, monotonic - min(lost, monotonic))
        let isDue = time >= due
        let (latest, isUnset) = due.addingReportingOverflow(Self.grace)
        if !isUnset, time > latest {
            // At least a little passes, so that a broker which is always late meets its deadlines, too.
            let resumed = min(time, max(now + Self.grace, due - min(due, Self.grace)))
            lost += time - resumed
            time = resumed
        }
        now = time
        return isDue
    }
}
