import PasteboardWire

// Drag sessions, as far as they concern other parts: requests of peers, loads of dropped items, and the ends that
// follow from each other.
extension BrokerState {
    // MARK: Requests

    /// Opens a session, or an addition to one. Items and a commit follow as in a write.
    mutating func beginDrag(_ drag: Drag, on stream: PeerStream) throws(Failure) {
        try Feature.check(drag.requires)
        var target = PendingWrite.Target.session(drag)
        if let handle = drag.handle {
            target = .addition(to: try sessions.openSession(handle, of: stream.peer, in: world))
        }
        try beginWrite(to: target, on: stream)
    }

    /// Creates a session from a write's items.
    mutating func commitSession(_ drag: Drag, _ write: WriteID, on stream: PeerStream) throws(Failure) {
        let (process, account) = (peers[stream.slot].process, peers[stream.slot].account)
        try world.context.checkRoom(for: account, of: .sessions, atMost: world.context.limits.sessionsPerProcess)
        let (access, label) = (peers[stream.slot].access, peers[stream.slot].label)
        guard let publication = world.contents.publish(write, by: access, label: label, &world.context) else { return }
        let session = sessions.open(
            drag,
            publication,
            stream: stream.id,
            by: stream.peer,
            of: process,
            account,
            &world.context
        )
        world.contents.setSession(session, of: publication)
        peers.setTarget(.drag(session), of: stream.id, at: stream.peer)
    }

    /// Adds a write's items to a session.
    mutating func commitAddition(to session: SessionID, _ write: WriteID, on stream: PeerStream) throws(Failure) {
        let publication = try sessions.checkAddition(
            to: session,
            items: world.contents.itemCount(of: write),
            metadata: world.contents.metadata(of: write),
            by: stream.peer,
            in: world
        )
        world.contents.append(write, to: publication, &world.context)
        peers.setTarget(nil, of: stream.id, at: stream.peer)
        sessions.itemsAdded(to: session, stream: stream.id, &world.context)
        closeStreams()
    }

    mutating func register(_ message: Destination, on stream: PeerStream) throws(Failure) {
        guard let owner = participant(stream.peer) else { return }
        let id = try sessions.register(message, stream: stream.id, by: owner, &world.context)
        destinationsChanged()
        peers.setTarget(.destination(id), of: stream.id, at: stream.peer)
        closeStreams()
    }

    private func participant(_ id: PeerID) -> Participant? {
        guard let slot = peers.find(id) else { return nil }
        return Participant(
            peer: id,
            access: peers[slot].access,
            account: peers[slot].account,
            label: peers[slot].label,
            receivesResults: peers[slot].receivesDropReports,
            unread: peers[slot].backlog.unread
        )
    }

    // MARK: Frames

    /// Handles a frame on the stream of a source's session.
    mutating func fromDragSource(_ kind: FrameKind, _ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        guard case .drag(let id)? = peers.knownTarget(of: stream.id, at: stream.slot) else {
            return try checkHasEnded(stream, for: kind)
        }
        try sessions.fromSource(kind, of: id, payload, in: &world)
        closeStreams()
    }

    /// Handles a frame on the stream that a session has at a destination, other than its cancel.
    mutating func fromDestination(_ kind: FrameKind, _ payload: Span<UInt8>, on stream: PeerStream) throws(Failure) {
        try sessions.fromDestination(kind, stream: stream.id, payload, from: stream.peer, in: &world)
        closeStreams()
    }

    /// Handles a destination's cancel of a session's stream.
    mutating func cancelDestinationSession(on stream: PeerStream) throws(Failure) {
        perform(try sessions.cancelDestinationSession(stream: stream.id, of: stream.peer, &world.context))
    }

    // MARK: Loads

    /// Refuses a load unless it is begun by the drop's destination while the drop window is open.
    func checkWindow(of session: SessionID, for peer: PeerID) throws(Failure) {
        switch sessions.access(to: session, by: peer) {
        case .allowed: return
        case .unknown: throw .noContents
        case .notNow:
            throw Failure(
                .notLoadableNow,
                "items of a drag session can be loaded only by its destination, and only while it performs the drop"
            )
        }
    }

    /// Whether a drop moves the items of a publication, so that the source deletes them afterwards.
    func isMove(of publication: PublicationID) -> Bool {
        world.contents.session(of: publication).map { sessions.isMove($0) } ?? false
    }

    /// Notifies sessions and contents of the ends of their loads.
    @inline(__always)
    mutating func reportLoads() {
        if loads.hasEvents { reportEvents() }
    }

    private mutating func reportEvents() {
        while let event = loads.nextEvent() {
            switch event {
            case .ended(let session, let part, let failure):
                sessions.loadEnded(part, of: session, failure, in: &world)
            case .lost(let session, let part, let failure):
                sessions.loadLost(part, of: session, failure, in: &world)
            case .counted(let publication, let part, let isUsed):
                if let (board, isUsedUp) = world.contents.endCounted(part, of: publication, isUsed: isUsed) {
                    if isUsedUp { set(board, to: nil, reason: .loaded) } else { versionChanged(of: board) }
                }
            }
            closeStreams()
        }
    }

    // MARK: Deadlines

    mutating func checkSessions() {
        var cursor: SlotTable<DragSession>.Slot?
        while let id = sessions.nextOverdue(after: &cursor, &world.context) {
            if let publication = sessions.publicationInTransfer(id) {
                sessions.bytesFlowed(id, at: loads.lastFlow(of: publication) ?? 0)
            }
            perform(sessions.expire(id, in: &world))
            // The session may have another deadline now.
            sessions.checkDeadline(of: id, &world.context)
        }
        closeStreams()
    }

    /// Ends all sessions, or those that are not dropped, because the broker shuts down.
    mutating func abortSessions(exceptDropped: Bool, _ failure: Failure) {
        sessions.abortAll(exceptDropped: exceptDropped, failure, &world.context)
        closeStreams()
    }

    // MARK: Ends

    /// Ends the drag sessions of a peer whose connection has ended, and removes its destinations.
    ///
    /// - Returns: the publications of its drag sessions, whose loads are to end.
    mutating func endSessions(of peer: PeerID) -> [PublicationID] {
        var publications: [PublicationID] = []
        for target in peers.targets(at: peer) {
            switch target {
            case .drag(let id):
                if let publication = sessions.sourceGone(id, in: &world) { publications.append(publication) }
                closeStreams()
            case .destination(let id): destinationLeft(id)
            case .write, .publication, .watch, .board, .report: break
            }
        }
        sessions.peerLeft(peer)
        return publications
    }

    /// A source has withdrawn its session: nothing more of a drop is transferred.
    mutating func sourceLeft(_ id: SessionID) {
        let publication = sessions.withdraw(id, in: &world)
        closeStreams()
        if let publication { ownerLeft(publication) }
    }

    /// Removes a destination that was unregistered, or whose connection has ended.
    mutating func destinationLeft(_ id: DestinationID) {
        while let outcome = sessions.withdrawNext(from: id, in: &world) { perform(outcome) }
        sessions.remove(id, &world.context)
        destinationsChanged()
        closeStreams()
    }

    private mutating func perform(_ outcome: SessionOutcome) {
        switch outcome {
        case .continues: break
        case .endsLoads(let drop):
            // The session is not notified of the ends of these loads.
            world.contents.setSession(nil, of: drop.publication)
            loads.failAll(of: drop.publication, with: drop.cause, in: &world)
            sessions.finish(drop, in: &world)
        }
        closeStreams()
    }

    /// Removes the client streams that are over. The items of a session that has ended are released.
    private mutating func closeStreams() {
        for closed in sessions.takeClosedStreams() {
            peers.setTarget(nil, of: closed.stream, at: closed.peer)
            if let publication = closed.publication { world.contents.retire(publication, &world.context) }
        }
    }
}
