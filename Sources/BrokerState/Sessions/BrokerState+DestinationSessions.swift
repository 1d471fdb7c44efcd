import PasteboardWire

// Destination sessions: their creation, the frames of their destinations, and their end.
extension BrokerState {
    // MARK: Frames

    /// Takes a frame on the stream that a session has at a destination, other than its cancel.
    mutating func fromDestinationSession(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard let id = try openDestinationSession(stream, of: peer) else { return }
        switch kind {
        case .proposal: try proposed(try Proposal(decoding: payload), id, from: peer)
        case .exit: exited(id)
        case .progress: progressed(id, try Progress(decoding: payload))
        case .performed:
            let message = try Performed(decoding: payload)
            reported(.performed(DropReport(message.failure)), items: message.items, by: id)
        case .conclude:
            let message = try Conclude(decoding: payload)
            reported(.concluded(DropReport(message.failure)), items: message.items, by: id)
        default:
            throw Failure(.protocolViolation, "\(kind) does not fit the session on stream \(stream)")
        }
    }

    /// The destination session that a stream of a peer stands for; nil if it is over.
    private func openDestinationSession(
        _ stream: UInt64,
        of peer: PeerID
    ) throws(Failure) -> DestinationSessionID? {
        guard let id = DestinationSessionID(stream: stream), destinationSessions.hasIssued(id) else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        guard let other = destinationSessions[id] else { return nil }
        guard other.phase.isOpen, destinations[other.destination]?.peer == peer else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        return id
    }

    /// The destination has left the session by itself.
    private mutating func exited(_ id: DestinationSessionID) {
        destinationSessions.update(id) { $0.phase.exit() }
        guard let other = destinationSessions[id], isTracked(id) else { return }
        lose(other.session, Failure(.refused, "destination \(name(of: other)) has let the session go"))
    }

    /// Takes a destination's end of a session's stream.
    mutating func cancelDestinationSession(stream: UInt64, of peer: PeerID) throws(Failure) {
        guard let id = try openDestinationSession(stream, of: peer), let other = destinationSessions[id] else { return }
        let isDropped = sessions[other.session]?.phase.drop != nil
        let text = "destination \(name(of: other)) has cancelled the drop"
        // The destination has closed the stream: nothing is sent on it any more.
        removeDestinationSession(id)
        withdraw(other, id, Failure(isDropped ? .cancelled : .refused, text))
    }

    /// Whether a session's pointer is over a destination.
    private func isTracked(_ id: DestinationSessionID) -> Bool {
        guard let session = destinationSessions[id]?.session else { return false }
        return sessions[session]?.phase.tracking?.destinationSession == id
    }

    /// A destination enters a session by itself.
    mutating func enter(stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard stream & 1 == 1 else {
            return try fromDestinationSession(.enter, stream: stream, payload, from: peer)
        }
        guard let open = peers[peer]?.streams[stream] else { return try checkIsLate(stream, of: peer) }
        guard case .destination(let id) = open, let destination = destinations[id] else {
            throw Failure(.protocolViolation, "enter on stream \(stream), which is no destination")
        }
        let message = try Enter(decoding: payload)
        do throws(Failure) {
            try enter(message, id, destination)
        } catch {
            var exit = Exit()
            exit.refusal = error
            outbox.send(exit, to: peer, stream: stream)
        }
    }

    private mutating func enter(
        _ message: Enter,
        _ id: DestinationID,
        _ destination: StoredDestination
    ) throws(Failure) {
        let publication = PublicationID(rawValue: message.handle ?? 0)
        guard let sessionID = publications[publication]?.session, let session = sessions[sessionID],
            session.phase.acceptsPointer, destination.isVisible(to: session.process),
            session.isAvailable(to: destination.process)
        else { throw Failure(.superseded, "there is no such session under way") }
        // The source is notified of each entry: a destination must not fill the source's queue.
        guard session.selfEntries < 64 + (now - session.startedAt) / 1_000 else {
            throw Failure(.limitExceeded, "the session was entered too often without its source's doing")
        }
        sessions.update(sessionID) { $0.selfEntries += 1 }
        if let tracking = session.phase.tracking,
            destinationSessions[tracking.destinationSession]?.destination != id
        {
            throw Failure(.refused, "the session is over another destination")
        }
        if let known = session.destinationSessions[id] {
            destinationSessions.update(known) { $0.declinedVersion = nil }
        }
        let account = peers[destination.peer]?.account
        let other = try destinationSession(of: sessionID, at: id, for: account)
        sessions.update(sessionID) { $0.isDirected = false }
        var location = message.location ?? Location()
        location.destination = destination.name
        track(sessionID, over: other, location)
    }

    // MARK: Creation

    /// The session's destination session at a destination, which accepts one of the items and has room for the session.
    ///
    /// - Parameter account: the account of the process that has caused it; nil: its source.
    mutating func destinationSession(
        of id: SessionID,
        at destinationID: DestinationID,
        for account: Accounting.AccountID? = nil
    ) throws(Failure) -> DestinationSessionID {
        guard let session = sessions[id], let destination = destinations[destinationID],
            let publication = publications[session.publication]
        else { throw Failure(.nothingHere, "the session or the destination has ended") }
        let otherID: DestinationSessionID
        if let known = session.destinationSessions[destinationID] {
            otherID = known
        } else {
            let charge = try accounting.charge(
                account ?? publication.charge.account,
                Accounting.Amount(objects: 1),
                for: "a session at one more destination"
            )
            otherID = destinationSessions.insert(
                DestinationSession(session: id, destination: destinationID, charge: charge)
            )
            sessions.update(id) { $0.destinationSessions[destinationID] = otherID }
            destinations.update(destinationID) { $0.sessions.insert(otherID) }
        }
        try checkIsAcceptable(publication, otherID, destination)
        if destination.sessions.contains(where: { destinationSessions[$0]?.phase.isLate == true }) {
            throw Failure(.timeout, "destination \(destination.name) does not answer")
        }
        guard destination.occupants.contains(otherID) || destination.occupants.count < destination.capacity else {
            throw Failure(
                .refused,
                "destination \(destination.name) has another session; try again when that has ended"
            )
        }
        return otherID
    }

    /// Refuses a destination that accepts none of the items. Each item is looked at once.
    private mutating func checkIsAcceptable(
        _ publication: Publication,
        _ id: DestinationSessionID,
        _ destination: StoredDestination
    ) throws(Failure) {
        guard let other = destinationSessions[id], !other.isAcceptable else { return }
        let isAcceptable = publication.items[other.checkedItems...].contains { item in
            item.representations.contains {
                destination.access.sees($0.visibility, of: publication.writer) && destination.accepts.take($0)
            }
        }
        destinationSessions.update(id) {
            $0.isAcceptable = isAcceptable
            $0.checkedItems = publication.items.count
        }
        guard !isAcceptable else { return }
        let types = destination.types.joined(separator: ", ").printable
        throw Failure(
            .typeUnavailable,
            "destination \(destination.name) takes none of the items: it takes "
                + (types.isEmpty ? "what it may see" : types)
        )
    }

    // MARK: The end

    /// Ends a destination session: its stream, if that is open, with an `exit` first if the pointer is inside.
    mutating func endDestinationSession(_ id: DestinationSessionID, _ failure: Failure?, sendsExit: Bool = true) {
        guard let other = destinationSessions[id] else { return }
        if other.phase.isOpen, let peer = destinations[other.destination]?.peer {
            if sendsExit, other.phase.isInside { outbox.send(Exit(), to: peer, stream: id.stream) }
            if let failure {
                outbox.send(failure, to: peer, stream: id.stream)
            } else {
                outbox.send(End(), to: peer, stream: id.stream)
            }
        }
        removeDestinationSession(id)
    }

    private mutating func removeDestinationSession(_ id: DestinationSessionID) {
        guard let other = destinationSessions.remove(id) else { return }
        sessions.update(other.session) { $0.destinationSessions[other.destination] = nil }
        destinations.update(other.destination) {
            $0.sessions.remove(id)
            $0.occupants.remove(id)
        }
        accounting.release(other.charge)
    }

    /// A session has lost a destination, whose destination session is over. If it was dropped there, its loads end first.
    mutating func withdraw(_ other: DestinationSession, _ id: DestinationSessionID, _ failure: Failure) {
        guard let session = sessions[other.session] else { return }
        if session.phase.drop?.destinationSession == id {
            endLoads(of: session.publication, failure)
            finish(other.session, failure: failure)
        } else if session.phase.tracking?.destinationSession == id {
            lose(other.session, failure)
        }
    }

    func name(of other: DestinationSession) -> String { destinations[other.destination]?.name ?? "" }
}
