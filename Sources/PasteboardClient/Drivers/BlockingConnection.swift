package import PasteboardTransport
package import PasteboardWire

/// A connection that is driven by the thread that uses it: the command line's.
///
/// Requests wait in place and end with what the broker said, with what broke the connection, or with `timeout` where the
/// broker does not answer any more. A program that also has to watch descriptors of its own calls `turn` in a loop.
/// Requests and `turn` may be mixed, but not nested, and a load that was opened through `io` is to be read by `turn`.
package final class BlockingConnection {
    /// Wishes may be made to `io.state` between turns; the next turn sends them.
    package var io: ConnectionIO
    /// Events that came for somebody else while a request waited.
    private var stash: [ClientEvent] = []
    /// Connects, and starts a broker where none is and the connector may. Hello goes out with the first request.
    package init(through connector: BrokerConnector, hello: Hello = Hello()) throws(Failure) {
        self.io = ConnectionIO(adopting: try connector.connect(), path: connector.socket.path, hello: hello)
    }

    /// Takes over a connected socket.
    package init(adopting socket: consuming OwnedDescriptor, path: String, hello: Hello = Hello()) {
        self.io = ConnectionIO(adopting: socket, path: path, hello: hello)
    }

    /// Connects, starts a broker if there is none and the connector may, and returns once the broker has answered hello.
    ///
    /// Connects again after a broker that was ending. Nothing else is sent before the answer, so no request is lost.
    package static func greeted(
        through connector: BrokerConnector,
        hello: Hello = Hello()
    ) throws(Failure) -> BlockingConnection {
        var attempt = 1
        while true {
            let connection = try BlockingConnection(through: connector, hello: hello)
            do throws(Failure) {
                _ = try connection.welcome()
                return connection
            } catch {
                guard connection.io.isGoneUnanswered, attempt < BrokerConnector.attempts else { throw error }
                attempt += 1
            }
        }
    }

    // MARK: Waiting

    /// Sends what is to be sent, waits until something happens or `deadline` (see `MonotonicClock`), and gives what came
    /// to `handle`, which may make wishes to the state but not use this connection.
    ///
    /// - Parameter extra: more to wait for.
    /// - Returns: what is ready of `extra`, in its order.
    @discardableResult
    package func turn(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        guard !self.stash.isEmpty else { return try self.step(extra: extra, until: deadline, handle) }
        let events = self.stash
        self.stash = []
        for event in events { handle(&self.io.state, event, Span()) }
        // Only what is there already: the caller has something to do.
        return try self.step(extra: extra, until: 0, handle)
    }

    /// A turn without what came earlier. With `untilSent` it does not wait once the socket has taken everything.
    @discardableResult
    func step(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        untilSent: Bool = false,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        try self.io.turn(extra: extra, until: deadline, untilSent: untilSent, handle)
    }

    /// Turns until `take` has made a result of what came for `stream`, or until `deadline`, or until `interrupt` is readable.
    func result<Value>(
        of stream: UInt64,
        until deadline: UInt64 = .max,
        interruptedBy interrupt: CInt? = nil,
        _ take: (inout ClientState, ClientEvent, Span<UInt8>) -> Result<Value, Failure>?
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        let extra = interrupt.map { [PollInterest($0, .readable)] } ?? []
        while true {
            var ready: [PollInterest.Readiness] = []
            do throws(Failure) {
                ready = try self.step(extra: extra, until: deadline) { state, event, bytes in
                    if event.stream != stream {
                        self.keep(event)
                    } else if case .failed(_, let failure) = event {
                        result = result ?? .failure(failure)
                    } else if result == nil {
                        result = take(&state, event, bytes)
                    }
                }
            } catch {
                // What ended before the connection did has its own result.
                if result == nil { throw error }
            }
            if let result { return try result.get() }
            if ready.contains(where: { !$0.isEmpty }) {
                self.io.state.cancel(stream)
                try? self.io.flush()
                throw Failure(.cancelled, "interrupted")
            }
            if MonotonicClock.mayBeOver(deadline), MonotonicClock.now() >= deadline {
                self.io.state.cancel(stream)
                try? self.io.flush()
                throw Failure(.timeout, "the broker at \(self.io.path) has not answered in the time allowed")
            }
        }
    }

    func keep(_ event: ClientEvent) {
        switch event {
        case .welcomed, .data: break
        default: self.stash.append(event)
        }
    }
}
