import PasteboardTransport

/// The time that deadlines see, in milliseconds: a monotonic clock without the time in which the broker stood.
///
/// A broker that wakes much later than its timer was stopped or swapped out, or its machine was paused, and the peers may
/// have been stopped as well. The deadlines that passed meanwhile are then put off by ``grace``: what has arrived is read
/// first, and nobody is late because others stood.
struct LoopClock {
    /// A wake that is later than this after the timer was due counts as a stop. In milliseconds.
    static let grace: UInt64 = 250

    private let monotonic: @Sendable () -> UInt64
    /// The time in which the broker stood.
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
    mutating func wake(due: UInt64) {
        let monotonic = monotonic()
        var time = max(now, monotonic - min(lost, monotonic))
        let (latest, isUnset) = due.addingReportingOverflow(Self.grace)
        if !isUnset, time > latest {
            // At least a little passes, so that a broker which is always late meets its deadlines, too.
            let resumed = min(time, max(now + Self.grace, due - min(due, Self.grace)))
            lost += time - resumed
            time = resumed
        }
        now = time
    }
}
