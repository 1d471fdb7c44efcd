import PasteboardClient
import PasteboardTransport
import PasteboardWire

// The blocking wait of a thread that serves only this connection.
extension ConnectionIO {
    /// Sends the pending frames, waits until something happens or until `deadline`, and passes events to `handle`. If
    /// this throws, the connection has ended.
    ///
    /// One call does all of it, because each access to a connection that is shared by reference has a cost.
    ///
    /// - Parameter untilSent: whether to return without waiting after the socket has taken everything.
    /// - Returns: the events that are ready on `extra`, in its order.
    @discardableResult
    mutating func turn(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        untilSent: Bool = false,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        if let failure = state.failure { throw failure }
        do throws(Failure) {
            try flush()
            let end = untilSent && !wantsWrite ? 0 : min(deadline, nextCheck)
            let ready = try poll(extra, until: end)
            if ready[0].contains(.writable) { try flush() }
            if ready[0].subtracting(.writable).isEmpty {
                // After a failed write, frames that the broker sent before may still be in the socket.
                if !cannotWrite || ready[0].isEmpty { try check() }
            } else {
                _ = try pump(handle)
                try flush()
            }
            return Array(ready.dropFirst())
        } catch {
            _ = state.connectionLost(error)
            throw error
        }
    }

    private mutating func poll(
        _ extra: [PollInterest],
        until deadline: UInt64
    ) throws(Failure) -> [PollInterest.Readiness] {
        let own = PollInterest(descriptor, wantsWrite ? [.readable, .writable] : .readable)
        do {
            return try System.poll(
                [own] + extra,
                milliseconds: deadline == .max ? nil : Int(MonotonicClock.millisecondsLeft(until: deadline))
            )
        } catch {
            throw Failure(.invalidArgument, "cannot wait for descriptors: \(error)")
        }
    }
}
