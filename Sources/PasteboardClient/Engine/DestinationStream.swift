import PasteboardTransport
package import PasteboardWire

/// A registered destination, on which drag sessions arrive. Its end ends the destination.
package struct DestinationStream: ~Copyable, Sendable {
    private var stream: BrokerStream

    fileprivate init(_ stream: consuming BrokerStream) { self.stream = stream }

    /// The stream, for others than its reader.
    package var shared: StreamReference { stream.shared }

    /// The next session. The first event of its stream is `session`.
    ///
    /// - Returns: nil after a nudge.
    package mutating func nextSession() async throws(RequestFailure) -> StreamReference? {
        while let event = try await stream.next(at: .standing, or: []) {
            if case .session(let slot, _) = event { return StreamReference(Int(slot), of: stream.connection) }
        }
        return nil
    }
}

extension BrokerConnection {
    /// Registers a destination for drag sessions.
    package func register(_ destination: Destination) async throws(RequestFailure) -> DestinationStream {
        var stream = open { (state) throws(Failure) in try state.open(destination) }
        change { [slot = stream.slot] in $0.streams.slots[slot].isDestination = true }
        try await stream.answer(at: .request) { if case .registered = $0 { () } else { nil } }
        return DestinationStream(stream)
    }
}
