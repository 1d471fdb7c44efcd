/// The changes of a connection that may wait: loads to be requested, and answers to be sent.
///
/// While many streams are under way, the loop makes them. Then the frames of several tasks share a write, and the tasks
/// do not wait for the lock of the connection, which the loop holds while it reads.
struct Inbox {
    typealias Change = @Sendable (inout BrokerConnection.Core) -> Void

    /// The number of streams under way from which on the loop makes the changes.
    private static let sharing = 8

    private var changes: [Change] = []
    private var isShared = false
    /// Whether the connection takes no requests any more.
    var isClosed = false

    /// - Returns: nil if the caller makes the change; otherwise whether the loop has to be woken.
    mutating func add(_ change: @escaping Change) -> Bool? {
        guard isShared else { return nil }
        changes.append(change)
        return changes.count == 1
    }

    /// Called by the loop, which makes the changes.
    mutating func take() -> [Change] { changes.isEmpty ? [] : exchange(&changes, with: []) }

    /// - Parameter underWay: the number of streams under way; 0 if no loop serves the connection.
    mutating func share(_ underWay: Int) { isShared = underWay >= Self.sharing }
}
