package import PasteboardTransport
package import PasteboardWire

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
    package mutating func turn(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        untilSent: Bool = false,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        if let failure = state.failure { throw failure }
        do throws(Failure) {
            try flush()
            let end = untilSent && !wantsWrite ? 0 : min(deadline, nextCheck)
            if extra.isEmpty, !wantsWrite, letReceiveWait(until: end) {
                _ = try pump(waiting: true, handle)
                try flush()
                // After a failed write, frames that the broker sent before it closed the connection may still be in the
                // socket. The next turn reads them before the connection fails.
                if !cannotWrite { try check() }
                return []
            }
            let ready = try poll(extra, until: end)
            if ready[0].contains(.writable) { try flush() }
            if ready[0].subtracting(.writable).isEmpty {
                // After a failed write likewise.
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

    /// Whether the socket's receive call itself may wait. If nothing else is watched, one call waits and reads. If
    /// nothing is due, it waits without a timeout, because the kernel's timer costs as much as the call. Otherwise it
    /// waits at most a second, and only if `end` is later than that.
    private mutating func letReceiveWait(until end: UInt64) -> Bool {
        let longest = 1_000
        guard end == .max || end > MonotonicClock.recent() + UInt64(longest) * 1_000_000 else { return false }
        let timeout = end == .max ? 0 : longest
        if receiveTimeout == timeout { return true }
        do {
            try Socket.letReceiveWait(descriptor, milliseconds: timeout)
            receiveTimeout = timeout
            return true
        } catch {
            return false
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
