/// The reports of a drop's progress to the broker, at most one a second.
///
/// The broker counts a report as progress only if its number is larger than all previous ones. The fraction of a drop
/// gets smaller when a load begins, so the reports are numbered instead.
package struct DropProgressReports: Sendable {
    private static let interval = Duration.seconds(1)

    private var count: UInt64 = 0
    private var lastFraction = 0.0
    private var lastCompleted: Int64 = 0
    private var earliestNext: ContinuousClock.Instant?

    package init() {}

    /// Returns whether a report may be made now. Call it before the progress is summed up: a sum over many loads at
    /// every byte would cost more than the loads.
    package func isDue(at now: ContinuousClock.Instant) -> Bool { earliestNext.map { $0 <= now } ?? true }

    /// - Returns: the number to report; nil if nothing has changed or it is too early.
    package mutating func next(
        fraction: Double,
        completed: Int64,
        at now: ContinuousClock.Instant
    ) -> UInt64? {
        guard isDue(at: now), fraction != lastFraction || completed != lastCompleted else { return nil }
        count += 1
        lastFraction = fraction
        lastCompleted = completed
        earliestNext = now + Self.interval
        return count
    }
}
