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
    /// - Throws: `nothing-here` when the time has passed; `invalid-argument` if the name is invalid; `timeout` if the
    ///   broker does not answer in time; `cancelled` if the task is cancelled; the error that ended the connection.
    public static func wait(
        for name: String,
        timeout: Duration? = nil,
        connection: PasteboardConnection = .shared
    ) async throws(PasteboardError) {
        do throws(Failure) { try BoardName.check(name, of: "a destination") } catch { throw PasteboardError(error) }
        let milliseconds = timeout?.loadMilliseconds
        let end = milliseconds.map { MonotonicClock.deadline(milliseconds: Int(clamping: $0)) } ?? .max
        try await connection.recovering(for: Call("the wait for destination \(name)")) { live in
            let hidden = DropRegistration.ownNames.withLock(\.self)
            try await live.wait(for: name, hiding: hidden, milliseconds: milliseconds, until: end)
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
        let names = try await connection.recovering(for: call) { live in
            try await live.destinations(until: call.end).map(\.name)
        }
        let hidden = DropRegistration.ownNames.withLock(\.self)
        return names.filter { !hidden.contains($0) }
    }
}
