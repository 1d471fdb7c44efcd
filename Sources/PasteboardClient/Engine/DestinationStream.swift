import PasteboardTransport
package import PasteboardWire

/// Makes the sink of a drag session that has arrived at a destination. It is called while `core` is held.
package typealias SessionSinkMaker = @Sendable (_ stream: UInt64, Session) -> any StreamSink

/// A registered destination, on which drag sessions arrive. Its end ends the destination.
package struct DestinationStream: ~Copyable, Sendable {
    private var stream: BrokerStream

    fileprivate init(_ stream: consuming BrokerStream) { self.stream = stream }

    /// The stream, for others than its reader.
    package var shared: StreamReference { stream.shared }

    /// Returns when the broker has registered the destination.
    package mutating func registered() async throws(RequestFailure) {
        try await stream.answer(at: .request) { if case .registered = $0 { () } else { nil } }
    }

    /// The next session. The first event of its stream is `session`. If the sessions have sinks, this only waits for
    /// the end.
    ///
    /// - Returns: nil after a nudge.
    /// - Throws: the loss; `broker-unavailable` if the broker has ended the destination.
    package mutating func nextSession() async throws(RequestFailure) -> StreamReference? {
        while let event = try await stream.next(at: .standing, or: []) {
            switch event {
            case .session(let slot, _): return StreamReference(Int(slot), of: stream.connection)
            case .ended:
                let failure = Failure(.brokerUnavailable, "the broker has ended the destination")
                throw RequestFailure(failure, .other, at: .standing)
            default: break
            }
        }
        return nil
    }
}

extension BrokerConnection {
    /// Registers a destination for drag sessions.
    package func register(_ destination: Destination) async throws(RequestFailure) -> DestinationStream {
        var stream = open(destination)
        try await stream.registered()
        return stream
    }

    /// Begins to register a destination.
    ///
    /// - Parameter arrivals: makes the sinks of the sessions; nil if they are read with `nextSession`.
    package func open(_ destination: Destination, arrivals: SessionSinkMaker? = nil) -> DestinationStream {
        DestinationStream(
            BrokerStream(
                change { core in
                    let slot = core.open { (state) throws(Failure) in try state.open(destination) }
                    (core.streams.slots[slot].isDestination, core.streams.slots[slot].arrivals) = (true, arrivals)
                    return slot
                },
                of: self
            )
        )
    }
}
