import PasteboardWire

// The location of a session: the source moves the pointer, and the destination there is asked for a proposal.
extension BrokerState {
    /// Bytes of sessions that may be announced to a peer before it has answered for any. What is announced at once, also
    /// for sessions that come and go, must not be more than the peer can leave unread.
    private static let announcedAtOnce: UInt64 = 512 << 10

    /// Takes a location from the source; nil if the pointer is over nothing.
    mutating func track(_ id: SessionID, to location: Location?) {
        sessions.update(id) {
            $0.declinedLocation = nil
            $0.isDirected = true
        }
        guard let location else {
            leave(id)
            return reply(id, .cancel)
        }
        do throws(Failure) {
            let destination = try destination(location.destination, for: id)
            track(id, over: try destinationSession(of: id, at: destination), location)
        } catch {
            leave(id)
            // The destination exists, so that the name in the location is no longer than one.
            if error.code == .typeUnavailable { sessions.update(id) { $0.declinedLocation = location } }
            reply(id, .cancel, refusal: error)
        }
    }

    private func destination(_ name: String, for id: SessionID) throws(Failure) -> DestinationID {
        if let found = findDestination(name, for: id) { return found }
        let isRestricted = sessions[id]?.isRestricted == true
        throw Failure(
            .nothingHere,
            "there is no destination \(name.printable.prefix(utf8Count: WireLimits.name))"
                + (isRestricted ? " in the process that the session is restricted to" : ""),
            detail: isRestricted ? nil : destinationList
        )
    }

    /// Moves the pointer over a destination, and asks it for a proposal.
    mutating func track(_ id: SessionID, over destinationSession: DestinationSessionID, _ location: Location) {
        guard let session = sessions[id], let other = destinationSessions[destinationSession] else { return }
        var location = location
        location.destination = name(of: other)
        if session.phase.tracking?.destinationSession != destinationSession { leave(id) }
        if other.declinedVersion == session.version { return declined(id, at: location) }
        sessions.update(id) { [now] in
            $0.activeAt = now
            $0.phase.track(destinationSession, at: location, now: now)
        }
        ask(id)
    }

    /// Takes the pointer away from its destination, which is notified if it knows that the pointer was there.
    @discardableResult
    mutating func leave(_ id: SessionID) -> DragSessionPhase.Departure {
        var departure = DragSessionPhase.Departure.nothing
        sessions.update(id) { departure = $0.phase.leave() }
        switch departure {
        case .nothing: break
        case .left(let tracking), .decides(let tracking):
            var isNotified = false
            destinationSessions.update(tracking.destinationSession) { isNotified = $0.phase.leave() }
            if isNotified { sendExit(to: tracking.destinationSession) }
        }
        return departure
    }

    mutating func sendExit(to id: DestinationSessionID) {
        guard let peer = destinationSessions[id].flatMap({ destinations[$0.destination]?.peer }) else { return }
        outbox.send(Exit(), to: peer, stream: id.stream)
    }

    // MARK: Questions

    /// Asks the destination that the session is over, unless an answer of it is pending: then it is asked after that, about
    /// the location of that time.
    mutating func ask(_ id: SessionID) {
        guard let session = sessions[id], let tracking = session.phase.tracking, tracking.needsQuestion,
            let since = tracking.awaitedSince, let other = destinationSessions[tracking.destinationSession],
            let destination = destinations[other.destination]
        else { return }
        check(by: since.addingClamped(limits.proposal))
        guard other.phase.pending == .nothing else { return }
        guard announce(session, to: destination, tracking.destinationSession) else {
            return lose(id, doesNotAnswer(other))
        }
        let sequence = other.lastQuestion + 1
        var question: DestinationSessionPhase.Question?
        destinationSessions.update(tracking.destinationSession) {
            $0.lastQuestion = sequence
            question = $0.phase.ask(sequence)
        }
        destinations.update(other.destination) { $0.occupants.insert(tracking.destinationSession) }
        sessions.update(id) { [now] session in
            let question = Tracking.Question(
                sequence: sequence,
                pointerUpdate: session.lastPointerUpdate,
                version: session.version,
                askedAt: now
            )
            session.phase.updateTracking { $0.ask(question) }
        }
        check(by: now.addingClamped(limits.proposal))
        switch question {
        case .enter:
            var enter = Enter()
            enter.sequence = sequence
            enter.location = tracking.location
            enter.version = session.version
            outbox.send(enter, to: destination.peer, stream: tracking.destinationSession.stream)
        case .update:
            var update = Update()
            update.sequence = sequence
            update.location = tracking.location
            update.version = session.version
            outbox.send(update, to: destination.peer, stream: tracking.destinationSession.stream)
        case nil: break
        }
    }

    /// Sends a destination the part of the session that it does not know yet: all of it, or the added items.
    ///
    /// - Returns: false if the destination has too much to read already.
    private mutating func announce(
        _ session: DragSession,
        to destination: StoredDestination,
        _ id: DestinationSessionID
    ) -> Bool {
        guard let announced = destinationSessions[id]?.announced, announced.version < session.version,
            let publication = publications[session.publication]
        else { return true }
        let metadata = publication.charge.amount.metadata
        let news = metadata - min(metadata, announced.metadata)
        let items = UInt64(publication.items.count - announced.items)
        // The fixed part is for `session`, `enter`, `exit`, `end` and the headers, which have no names.
        guard mayAnnounce(news.addingClamped(1_024 + 64 * items), to: destination.peer) else { return false }
        let indices = publication.places(for: destination.access)
        var message = Session()
        message.destination = destination.stream
        message.handle = session.publication.rawValue
        message.version = session.version
        message.itemCount = UInt32(clamping: indices.count)
        message.allowsMove = session.allowsMove(by: destination.process)
        message.isRestricted = session.isRestricted
        message.ownerLabel = publication.ownerLabel
        message.ownerProcess = publication.ownerProcess.pid
        outbox.send(message, to: destination.peer, stream: id.stream)
        for index in indices where index >= announced.items {
            let item = describe(publication.items[index], of: publication, to: destination.access)
            outbox.send(item, to: destination.peer, stream: id.stream)
        }
        let announcedNow = DestinationSession.Announced(
            version: session.version,
            items: publication.items.count,
            metadata: metadata
        )
        destinationSessions.update(id) { $0.announced = announcedNow }
        return true
    }

    private mutating func mayAnnounce(_ count: UInt64, to id: PeerID) -> Bool {
        guard let peer = peers[id] else { return false }
        let hasReadAll = peer.backlog.unread == 0 && now - peer.announcedAt >= limits.proposal
        let announced = hasReadAll ? 0 : peer.announced
        let total = announced.addingClamped(count)
        guard total <= Self.announcedAtOnce || announced == 0 else { return false }
        peers.update(id) { [now] in
            $0.announced = total
            $0.announcedAt = now
        }
        return true
    }
}
