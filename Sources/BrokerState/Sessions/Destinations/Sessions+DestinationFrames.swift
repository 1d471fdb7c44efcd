import PasteboardWire

// The destination's side of a session: its frames, and its withdrawal.
extension Sessions {
    /// The destination session of a peer's stream; nil if it is over. Throws if the peer has no such stream.
    private func find(_ stream: UInt64, of peer: PeerID) throws(Failure) -> DestinationSessionID? {
        guard let id = DestinationSessionID(stream: stream), destinationSessionTable.hasIssued(id) else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        guard let slot = destinationSessionTable.find(id) else { return nil }
        guard destinationSessionTable[slot].phase.isOpen, self.peer(of: id) == peer else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        return id
    }

    /// Whether a peer's stream of a session is open. Throws if the peer has no such stream.
    func isOpen(_ stream: UInt64, at peer: PeerID) throws(Failure) -> Bool {
        try find(stream, of: peer) != nil
    }

    /// Handles a frame on the stream that a session has at a destination, other than its cancel.
    mutating func fromDestination(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID,
        in world: inout World
    ) throws(Failure) {
        guard let id = try find(stream, of: peer), let slot = destinationSessionTable.find(id) else { return }
        let isPerforming = destinationSessionTable[slot].phase == .performing
        switch kind {
        case .proposal, .exit:
            // After perform they are late: the destination may have sent them before it arrived.
            guard !isPerforming else { return }
        default:
            guard isPerforming else { throw Failure(.protocolViolation, "\(kind) before perform on stream \(stream)") }
        }
        switch kind {
        case .proposal: try proposed(try Proposal(decoding: payload), id, in: &world)
        case .exit:
            _ = try Exit(decoding: payload)
            exited(id, &world.context)
        case .progress: progressed(try Progress(decoding: payload), by: id, &world.context)
        case .performed:
            let message = try Performed(decoding: payload)
            reported(.performed(DropReport(message.failure)), items: message.items, by: id, in: &world)
        case .conclude:
            let message = try Conclude(decoding: payload)
            reported(.concluded(DropReport(message.failure)), items: message.items, by: id, in: &world)
        default:
            throw Failure(.protocolViolation, "\(kind) does not fit the session on stream \(stream)")
        }
    }

    /// The destination has left the session by itself.
    private mutating func exited(_ id: DestinationSessionID, _ context: inout BrokerContext) {
        guard let destinationSession = destinationSessionTable.find(id) else { return }
        destinationSessionTable[destinationSession].phase.exit()
        let session = destinationSessionTable[destinationSession].session
        guard let slot = sessionTable.find(session), sessionTable[slot].phase.tracking?.destinationSession == id else {
            return
        }
        let text = "destination \(destinationName(of: id)) has left the session"
        lose(session, Failure(.refused, text), &context)
    }

    /// Handles a destination's cancel of a session's stream.
    mutating func cancelDestinationSession(
        stream: UInt64,
        of peer: PeerID,
        _ context: inout BrokerContext
    ) throws(Failure) -> SessionOutcome {
        guard let id = try find(stream, of: peer), let destinationSession = destinationSessionTable.find(id) else {
            return .continues
        }
        let session = destinationSessionTable[destinationSession].session
        let isDropped = sessionTable.find(session).map { sessionTable[$0].phase.drop != nil } ?? false
        let text = "destination \(destinationName(of: id)) has cancelled the drop"
        // The destination has closed the stream: nothing more is sent on it.
        removeDestinationSession(id, &context)
        return withdraw(session, from: id, Failure(isDropped ? .cancelled : .refused, text), &context)
    }

    // MARK: Withdrawal

    /// Takes a session away from a destination whose destination session is over. If it was dropped there, its loads
    /// end first.
    mutating func withdraw(
        _ session: SessionID,
        from id: DestinationSessionID,
        _ failure: Failure,
        _ context: inout BrokerContext
    ) -> SessionOutcome {
        guard let slot = sessionTable.find(session) else { return .continues }
        if sessionTable[slot].phase.drop?.destinationSession == id {
            let publication = sessionTable[slot].publication
            return .endsLoads(EndedDrop(session: session, publication: publication, cause: failure, failure: failure))
        }
        if sessionTable[slot].phase.tracking?.destinationSession == id { lose(session, failure, &context) }
        return .continues
    }
}
