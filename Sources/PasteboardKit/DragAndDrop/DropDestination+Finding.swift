import PasteboardClient
import PasteboardTransport
import PasteboardWire

// How a source finds out which destinations there are.
extension DropDestination {
    /// Returns once there is a destination of a name that drags of this process can be directed to, and at once if there is
    /// one already. A broker is started if none is running.
    ///
    /// The destination may have gone again when a drag is moved to it: ``Drag/move(to:waitingUpTo:)`` does both.
    ///
    /// - Parameters:
    ///   - name: the name of the destination.
    ///   - duration: the longest time to wait; nil: until the task is cancelled.
    ///   - connection: the way to the broker.
    /// - Throws: `nothing-here` when the time is over; `invalid-argument` for what is no name; `limit-exceeded` for more than
    ///   128 waits of one process; `version-mismatch` at an older broker; `timeout` if the broker does not answer in time;
    ///   `cancelled` if the task is cancelled; what has ended the connection.
    public static func wait(
        for name: String,
        upTo duration: Duration? = nil,
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) {
        try await wait(for: name, upTo: duration, session: nil, connection: connection)
    }

    /// - Parameter session: the handle of the drag session that waits.
    static func wait(
        for name: String,
        upTo duration: Duration?,
        session: UInt64?,
        connection: PasteboardConnection
    ) async throws(PasteboardError) {
        // The broker keeps the time, and says what there is; it may be stopped.
        let timeout = duration.map { min($0, .seconds(365 * 86_400)) + LoadDeadline.brokerGrace }
        let call = Call("the wait for destination \(name)", timeout: timeout)
        let link = try await connection.link(for: call)
        let request = DestinationWaiting()
        var wait = Wait()
        wait.destination = name
        wait.milliseconds = duration?.loadMilliseconds
        wait.handle = session
        try await request.reply.value(for: call) {
            link.cancel(request)
        } start: {
            link.open(request) { [wait] state throws(Failure) in try state.open(wait) }
        }
    }

    /// The names that a drag can be directed to now, in alphabetical order: destinations and views that processes have
    /// registered, this one's included; not what ``InteractionView`` has for drags within this process.
    ///
    /// Which of them take what is dragged they say themselves when it comes: ``Drag/move(to:timeout:)``.
    ///
    /// - Parameter connection: the way to the broker.
    /// - Throws: what has ended the connection; `cancelled` if the task is cancelled.
    public static func names(connection: PasteboardConnection = .shared) async throws(PasteboardError) -> [String] {
        let call = Call("the list of destinations")
        let link = try await connection.link(for: call)
        let request = DestinationNames()
        let names = try await request.reply.value(for: call) {
            link.cancel(request)
        } start: {
            link.open(request) { state throws(Failure) in try state.open(Status()) }
        }
        let hidden = DropRegistration.ownNames.withLock(\.self)
        return names.filter { !hidden.contains($0) }
    }
}
