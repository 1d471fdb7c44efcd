/// What is said of refused connections: a line in ten seconds, however many come. Without a bound their storm would
/// fill a disk.
struct RefusalLog {
    private static let interval: UInt64 = 10_000

    private var quietUntil: UInt64 = 0
    private var unsaid = 0

    /// A connection was refused: the line to be written now, if any.
    ///
    /// - Parameter now: in milliseconds.
    mutating func line(_ reason: String, at now: UInt64) -> String? {
        self.unsaid += 1
        guard now >= self.quietUntil else { return nil }
        defer {
            self.quietUntil = now + Self.interval
            self.unsaid = 0
        }
        return self.unsaid == 1
            ? "refused a connection: \(reason)" : "refused \(self.unsaid) connections, the last one: \(reason)"
    }
}
