/// The changes of a connection that may wait: loads to be requested, and answers to be sent.
///
/// From 8 streams under way on it collects the changes, and the loop makes them in its next turn. Then the frames of
/// several tasks share a write, and the tasks do not wait for the lock of the core, which the loop holds while it
/// reads. A change that is collected may be made after others that were made later. The inbox has a lock of its own.
struct Inbox {
    typealias Change = @Sendable (inout BrokerConnection.Core) -> Void

    /// The number of streams under way from which on the loop makes the changes.
    private static let threshold = 8

    private var changes: [Change] = []
    private var collects = false
    /// Whether the connection takes no requests any more.
    var isClosed = false

    /// - Returns: nil if the caller makes the change; otherwise whether the loop has to be woken.
    mutating func add(_ change: @escaping Change) -> Bool? {
        guard collects else { return nil }
        changes.append(change)
        return changes.count == 1
    }

    /// Called by the loop, which makes the changes.
    mutating func take() -> [Change] { changes.isEmpty ? [] : exchange(&changes, with: []) }

    /// - Parameter underWay: the number of streams under way; 0 if no loop serves the connection.
    mutating func collect(underWay: Int) { collects = underWay >= Self.threshold }
}
