/// Measures the time for the expiry of contents. It includes suspensions of the machine and of the broker, which the
/// clock of the deadlines skips.
///
/// It runs only while some contents expire, because reading the clock in each turn would take time.
struct ExpiryClock {
    private let time: @Sendable () -> UInt64
    /// The time that was reported last; nil while the clock does not run.
    private var last: UInt64?

    /// - Parameter time: milliseconds of a clock that includes suspensions.
    init(_ time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// Starts or stops the clock.
    mutating func run(_ isNeeded: Bool) {
        guard isNeeded != (last != nil) else { return }
        last = isNeeded ? time() : nil
    }

    /// The milliseconds since the last call or the start; nil while the clock does not run.
    mutating func elapsed() -> UInt64? {
        guard let last else { return nil }
        let now = max(last, time())
        self.last = now
        return now - last
    }
}
