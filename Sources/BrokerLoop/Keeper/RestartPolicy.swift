/// Decides when a keeper starts a broker again, and when it stops trying.
///
/// A cause of repeated crashes is one that the next broker meets, too. If brokers crash before clients can connect, the
/// cause may be the saved contents, which the keeper then gives up. If they crash soon after that, it may be a client
/// that connects again: then each start waits longer.
struct RestartPolicy {
    enum Decision: Equatable {
        /// In milliseconds from now.
        case restart(after: UInt64)
        /// Without the saved contents.
        case restartEmpty(after: UInt64)
        case giveUp
    }

    /// A broker that could be reached for less than this has crashed soon. In milliseconds.
    static let soon: UInt64 = 100
    /// The failed starts in a row after which the contents are given up.
    static let startsWithContents = 12
    /// The failed starts in a row after which the keeper gives up.
    static let mostStarts = 20
    /// The number of brokers in a row that have crashed soon, after which the keeper gives up.
    static let mostDeaths = 100
    /// In milliseconds.
    static let longestPause: UInt64 = 5_000
    /// The first restarts follow at once.
    private static let promptRestarts = 3

    private var failedStarts = 0
    private var soonDeaths = 0

    /// A broker has ended without being asked to.
    ///
    /// - Parameter milliseconds: the time since clients could connect; nil if they never could.
    mutating func ended(after milliseconds: UInt64?) -> Decision {
        guard let milliseconds else {
            failedStarts += 1
            guard failedStarts < Self.mostStarts else { return .giveUp }
            // Longer, because memory may have run out for a while.
            let pause = failedStarts == 1 ? 0 : min(Self.longestPause, 100 << UInt64(min(failedStarts - 2, 16)))
            return failedStarts == Self.startsWithContents ? .restartEmpty(after: pause) : .restart(after: pause)
        }
        failedStarts = 0
        soonDeaths = milliseconds < Self.soon ? soonDeaths + 1 : 0
        return soonDeaths < Self.mostDeaths ? .restart(after: Self.pause(after: soonDeaths)) : .giveUp
    }

    private static func pause(after count: Int) -> UInt64 {
        count <= promptRestarts ? 0 : min(longestPause, 5 << UInt64(min(count - promptRestarts, 16)))
    }
}
