import PasteboardClient
import PasteboardTransport
import PasteboardWire

// Calls for a source to find destinations.
extension DropDestination {
    /// Waits until there is a destination to which drags of this process can be directed. It returns at once if there
    /// is one already. A broker is started if none is running.
    ///
    /// The destination may have ended before a drag is moved to it. ``Drag/move(to:destinationTimeout:)`` waits
    /// and moves in one call.
    ///
    /// - Parameters:
    ///   - name: the name of the destination.
    ///   - timeout: the longest time to wait; nil: until the task is cancelled.
    ///   - connection: the connection to the broker.
    /// - Throws: `nothing-here` when the time has passed; `invalid-argument` if the name is invalid; `limit-exceeded`
    ///   if the process has 128 waits already; `version-mismatch` if the broker is too old; `timeout` if the broker
    ///   does not answer in time; `cancelled` if the task is cancelled; the error that ended the connection.
    public static func wait(
        for name: String,
        timeout: Duration? = nil,
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) {
        try await wait(for: name, upTo: timeout, session: nil, connection: connection)
    }

    /// - Parameter session: the handle of the drag session that waits.
    static func wait(
        for name: String,
        upTo duration: Duration?,
        session: UInt64?,
        connection: PasteboardConnection
    ) async throws(PasteboardError) {
        // The broker enforces the duration, and its error lists the destinations. The call has its own timeout in case
        // the broker hangs.
        let timeout = duration.map { min($0, .seconds(365 * 86_400)) + LoadDeadline.brokerGrace }
        let call = Call("the wait for destination \(name)", timeout: timeout)
        try await connection.recovering(session == nil ? .read : .bound, for: call) { live in
            let milliseconds = duration?.loadMilliseconds
            try await live.wait(for: name, milliseconds: milliseconds, session: session, until: call.end)
        }
    }

    /// Lists the names to which a drag can be directed now, in alphabetical order. These are the destinations and views
    /// that any process has registered, this one included. The internal destinations for drags between the views of one
    /// process are left out.
    ///
    /// Use ``Drag/move(to:timeout:)`` to find out whether a destination takes the items of a drag.
    ///
    /// - Parameter connection: the connection to the broker.
    /// - Throws: the error that ended the connection; `cancelled` if the task is cancelled.
    public static func names(connection: PasteboardConnection = .shared) async throws(PasteboardError) -> [String] {
        let call = Call("the list of destinations")
        // The answer also describes other things, which are left out.
        let names = try await connection.recovering(for: call) { live in
            try await live.status(until: call.end).compactMap(\.destination?.name)
        }
        let hidden = DropRegistration.ownNames.withLock(\.self)
        return names.filter { !hidden.contains($0) }
    }
}
