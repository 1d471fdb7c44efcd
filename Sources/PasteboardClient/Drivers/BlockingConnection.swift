package import PasteboardTransport
package import PasteboardWire

/// A connection that is driven by the thread that uses it, as in the command line.
///
/// A request blocks until the broker has answered it, the connection has failed, or the broker has not answered in
/// time, which is a `timeout`. A program that also watches its own descriptors calls `turn` in a loop. Requests and
/// `turn` may alternate, but not nest. A load that was opened through `io` must be read by `turn`.
package final class BlockingConnection {
    /// Requests may be made on `io.state` between turns; the next turn sends them.
    package var io: ConnectionIO
    /// Events for other streams that were received while a request waited, each with the bytes that it refers to.
    private var stash: [(event: ClientEvent, bytes: [UInt8])] = []
    /// The progress of the last request, which decides whether it is made again. A request that changes nothing counts
    /// as uncommitted, until its caller has passed bytes on.
    package var reached = Recovery.Reached.uncommitted
    /// The failure of the last request that was not answered before its deadline.
    private var lateFailure: Failure?

    /// Takes ownership of a connected socket. Hello is sent with the first request.
    package init(adopting socket: consuming OwnedDescriptor, path: String, hello: Hello = Hello()) {
        io = ConnectionIO(adopting: socket, path: path, hello: hello)
    }

    /// Connects, and returns after the broker has answered hello.
    ///
    /// If the broker was ending, it connects again. Nothing else is sent before the answer, so no request is lost.
    ///
    /// - Parameters:
    ///   - isRequired: whether a broker is started if there is none, or its absence is an error if the connector starts
    ///     none. False for requests that are not worth starting one.
    ///   - deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    /// - Returns: nil if there is no broker and none is required.
    package static func greeted(
        through connector: BrokerConnector,
        hello: Hello = Hello(),
        isRequired: Bool = true,
        until deadline: UInt64 = .max
    ) throws(Failure) -> BlockingConnection? {
        var attempt = 1
        while true {
            let socket = try isRequired ? connector.connect() : connector.connectIfServed(until: deadline)
            guard let socket else { return nil }
            let connection = BlockingConnection(adopting: socket, path: connector.socket.path, hello: hello)
            do throws(Failure) {
                _ = try connection.welcome(until: deadline)
                return connection
            } catch {
                guard connection.io.isGoneUnanswered, attempt < Recovery.greetings else { throw error }
                attempt += 1
            }
        }
    }

    /// The failure of a request over this connection, and what decides whether it is made again; nil if `error` is none
    /// of the broker.
    package func requestFailure(_ error: any Error) -> RequestFailure? {
        guard let failure = error as? Failure else { return error as? RequestFailure }
        let loss = failure.isIdentical(to: lateFailure) ? .silent : io.loss(of: failure)
        return RequestFailure(failure, loss, at: reached)
    }

    // MARK: Waiting

    /// Sends the pending frames, waits until something happens or until `deadline` (see `MonotonicClock`), and passes
    /// events to `handle`, which may make requests on the state, but must not use this connection.
    ///
    /// - Parameter extra: further descriptors to wait for.
    /// - Returns: the events that are ready on `extra`, in its order.
    @discardableResult
    package func turn(
        extra: [PollInterest] = [],
        until deadline: UInt64 = .max,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Void
    ) throws(Failure) -> [PollInterest.Readiness] {
        guard !stash.isEmpty else { return try io.turn(extra: extra, until: deadline, handle) }
        let events = stash
        stash = []
        for (event, bytes) in events { handle(&io.state, event, bytes.span) }
        // The stashed events are work for the caller, so this does not wait.
        return try io.turn(extra: extra, until: 0, handle)
    }

    /// Sends the pending frames, and returns after the socket has taken all of them.
    package func sendAll() throws(Failure) {
        try io.flush()
        while io.wantsWrite { try io.turn(untilSent: true) { _, event, bytes in keep(event, bytes) } }
    }

    /// Takes turns until `handle` has made a result from the events of `stream`, `deadline` has passed, or `interrupt`
    /// is readable.
    ///
    /// - Parameter lateness: the text of the error after the deadline; nil if only the broker can be late.
    func result<Value>(
        of stream: UInt64,
        until deadline: UInt64 = .max,
        lateness: String? = nil,
        interruptedBy interrupt: CInt? = nil,
        _ handle: (inout ClientState, ClientEvent, Span<UInt8>) -> Result<Value, Failure>?
    ) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        let extra = interrupt.map { [PollInterest($0, .readable)] } ?? []
        while true {
            var ready: [PollInterest.Readiness] = []
            do throws(Failure) {
                ready = try io.turn(extra: extra, until: deadline) { state, event, bytes in
                    // The end of a publication may arrive together with the answer to its write.
                    if event.stream != stream || result != nil {
                        keep(event, bytes)
                    } else if case .failed(_, let failure) = event {
                        result = .failure(failure)
                    } else {
                        result = handle(&state, event, bytes)
                    }
                }
            } catch {
                // A request that ended before the connection did keeps its own result.
                if result == nil { throw error }
            }
            if let result { return try result.get() }
            if ready.contains(where: { !$0.isEmpty }) {
                io.state.cancel(stream)
                try? io.flush()
                throw Failure(.cancelled, "interrupted")
            }
            if MonotonicClock.isOver(deadline) {
                io.state.cancel(stream)
                try? io.flush()
                let failure = lateness.map { Failure(.timeout, $0) } ?? unanswered
                lateFailure = failure
                throw failure
            }
        }
    }

    package var unanswered: Failure {
        Failure(.timeout, "the broker at \(io.path) has not answered in the time allowed")
    }

    /// Keeps an event for the next turn of the caller.
    func keep(_ event: ClientEvent, _ bytes: Span<UInt8>) {
        switch event {
        case .welcomed, .data: break
        case .asked(let stream, var ask):
            let type = ask.detachType(from: bytes)
            stash.append((.asked(stream, ask), type))
        default: stash.append((event, []))
        }
    }
}
