import PasteboardWire

// Drag sessions, as far as they concern other parts: requests of peers, loads of dropped items, and the ends that follow
// from each other.
extension BrokerState {
    // MARK: Requests

    /// Opens a session, or an addition to one. Items and a commit follow as in a write.
    mutating func beginDrag(_ drag: Drag, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(drag.requires)
        var target = PendingWrite.Target.session(drag)
        if let handle = drag.handle { target = .addition(to: try sessions.openSession(handle, of: peer, contents)) }
        try beginWrite(to: target, stream: stream, from: peer)
    }

    mutating func commitSession(_ drag: Drag, _ write: PendingWrite, of peer: Peer) {
        let publication = publish(write, of: peer, board: "")
        let session = sessions.open(
            drag,
            publication,
            stream: write.stream,
            by: write.peer,
            of: peer.process,
            &context
        )
        publications.update(publication) { $0.session = session }
        peers.update(write.peer) { $0.streams[write.stream] = .drag(session) }
    }

    mutating func commitAddition(to session: SessionID, _ id: WriteID, _ write: PendingWrite) throws(Failure) {
        let publication = try sessions.checkAddition(
            to: session,
            items: write.items.count,
            metadata: write.metadata,
            by: write.peer,
            contents,
            context.limits
        )
        writes.remove(id)
        for kept in write.keptBytes { outbox.perform(.sealKept(kept)) }
        publications.update(publication) { $0.append(write.items, charge: write.charge) }
        peers.update(write.peer) { $0.streams[write.stream] = nil }
        sessions.itemsAdded(to: session, stream: write.stream, contents, &context)
        closeStreams()
    }

    mutating func register(_ message: Destination, stream: UInt64, from peer: PeerID) throws(Failure) {
        guard let owner = participant(peer) else { return }
        let id = try sessions.register(message, stream: stream, by: owner, &context)
        peers.update(peer) { $0.streams[stream] = .destination(id) }
        closeStreams()
    }

    mutating func wait(_ message: Wait, stream: UInt64, for peer: PeerID) throws(Failure) {
        guard let owner = participant(peer),
            let id = try sessions.wait(message, stream: stream, by: owner, contents, &context)
        else { return }
        peers.update(peer) { $0.streams[stream] = .wait(id) }
    }

    private func participant(_ id: PeerID) -> Participant? {
        guard let slot = peers.find(id) else { return nil }
        return Participant(
            peer: id,
            access: peers[slot].viewer,
            account: peers[slot].account,
            label: peers[slot].label,
            receivesResults: peers[slot].hearsOfDrops,
            unread: peers[slot].backlog.unread
        )
    }

    // MARK: Frames

    /// Takes a frame on the stream of a source's session.
    mutating func fromDragSource(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard let open = peers[peer]?.streams[stream] else { return try checkIsLate(stream, of: peer) }
        guard case .drag(let id) = open else {
            throw Failure(.protocolViolation, "\(kind) on stream \(stream), which is no session with items")
        }
        try sessions.fromSource(kind, of: id, payload, contents, &context)
        closeStreams()
    }

    /// Takes a frame on the stream that a session has at a destination, other than its cancel.
    mutating func fromDestinationSession(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        try sessions.fromDestination(kind, stream: stream, payload, from: peer, contents, &context)
        closeStreams()
    }

    /// Takes an entry of a destination into a session, by the destination itself.
    mutating func enter(stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard stream & 1 == 1 else {
            return try fromDestinationSession(.enter, stream: stream, payload, from: peer)
        }
        guard let open = peers[peer]?.streams[stream] else { return try checkIsLate(stream, of: peer) }
        guard case .destination(let id) = open, let account = peers[peer]?.account else {
            throw Failure(.protocolViolation, "enter on stream \(stream), which is no destination")
        }
        sessions.enter(try Enter(decoding: payload), id, by: account, contents, &context)
        closeStreams()
    }

    /// Takes a destination's end of a session's stream.
    mutating func cancelDestinationSession(stream: UInt64, of peer: PeerID) throws(Failure) {
        perform(try sessions.cancelDestinationSession(stream: stream, of: peer, &context))
    }

    // MARK: Loads

    /// Refuses a load unless it is begun by the drop's destination while the drop window is open.
    func checkWindow(of session: SessionID, for peer: PeerID) throws(Failure) {
        switch sessions.access(to: session, by: peer) {
        case .allowed: return
        case .unknown: throw Self.noContents
        case .notNow:
            throw Failure(
                .notLoadableNow,
                "items of a drag session can be loaded only by its destination, and only while it performs the drop"
            )
        }
    }

    /// Whether the items of a publication are being moved, so that they go from the source afterwards.
    func isMove(of publication: PublicationID) -> Bool {
        contents.session(of: publication).map { sessions.isMove($0) } ?? false
    }

    mutating func sessionLoadBegan(_ id: SessionID, _ part: SessionDrop.Part) {
        sessions.loadBegan(part, of: id)
    }

    /// - Parameter failure: nil if all bytes have arrived.
    mutating func sessionLoadEnded(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure?) {
        sessions.loadEnded(part, of: id, failure, contents, &context)
        closeStreams()
    }

    /// A load that was complete has failed after all: its file could not be passed on.
    mutating func sessionLoadFailed(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure) {
        sessions.loadLost(part, of: id, failure, contents, &context)
        closeStreams()
    }

    // MARK: Deadlines

    mutating func checkSessions() {
        var cursor: SlotTable<DragSession>.Slot?
        while let id = sessions.nextOverdue(after: &cursor, &context) {
            if let publication = sessions.publicationInTransfer(id) {
                sessions.bytesFlowed(id, at: lastFlow(of: publication))
            }
            perform(sessions.expire(id, contents, &context))
            // The session may have another deadline now.
            sessions.checkDeadline(of: id, &context)
        }
        sessions.checkWaits(&context)
        closeStreams()
    }

    /// The time of the last byte of a publication's loads.
    private func lastFlow(of publication: PublicationID) -> UInt64 {
        var time: UInt64 = 0
        var cursor = routes.next()
        while let slot = cursor {
            cursor = routes.next(after: slot)
            guard routes[slot].publication == publication else { continue }
            // The start counts too: a load in the source's queue has no bytes yet.
            time = max(time, routes[slot].startedAt, routes[slot].byteAt, routes[slot].takenAt)
        }
        return time
    }

    /// Ends all sessions, or those that are not dropped, because the broker shuts down.
    mutating func abortSessions(exceptDropped: Bool, _ failure: Failure) {
        sessions.abortAll(exceptDropped: exceptDropped, failure, &context)
        closeStreams()
    }

    // MARK: Ends

    /// Ends the sessions of a peer that has gone, and those that it had as a destination.
    ///
    /// - Returns: the publications of its own sessions, whose loads are to end.
    mutating func endSessions(of peer: PeerID) -> [PublicationID] {
        var publications: [PublicationID] = []
        for (_, stream) in (peers[peer]?.streams ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .drag(let id):
                if let publication = sessions.sourceGone(id, contents, &context) { publications.append(publication) }
                closeStreams()
            case .destination(let id): destinationLeft(id)
            case .write, .publication, .wait: break
            }
        }
        sessions.peerLeft(peer)
        return publications
    }

    /// A source has withdrawn its session: nothing more of a drop is transferred.
    mutating func sourceLeft(_ id: SessionID) {
        let publication = sessions.withdraw(id, contents, &context)
        closeStreams()
        if let publication { ownerLeft(publication) }
    }

    /// A destination is unregistered, or its process has gone.
    mutating func destinationLeft(_ id: DestinationID) {
        while let outcome = sessions.withdrawNext(from: id, contents, &context) { perform(outcome) }
        sessions.remove(id, &context)
        closeStreams()
    }

    /// A wait is cancelled, or its process has gone.
    mutating func waitLeft(_ id: WaitID) {
        sessions.endWait(id, &context)
        closeStreams()
    }

    private mutating func perform(_ outcome: SessionOutcome) {
        switch outcome {
        case .continues: break
        case .endsLoads(let drop):
            // These ends are not the session's any more.
            publications.update(drop.publication) { $0.session = nil }
            failAll(drop.cause) { $0.publication == drop.publication && $0.filling == nil }
            sessions.finish(drop, contents, &context)
        }
        closeStreams()
    }

    /// Forgets the client streams that are over. The items of a session that has ended are released.
    private mutating func closeStreams() {
        for closed in sessions.takeClosedStreams() {
            peers.update(closed.peer) { $0.streams[closed.stream] = nil }
            guard let publication = closed.publication else { continue }
            publications.update(publication) {
                $0.session = nil
                $0.isCurrent = false
            }
            removeIfUnused(publication)
        }
    }
}

extension Contents {
    /// The drag session that holds a publication.
    func session(of id: PublicationID) -> SessionID? { find(id).flatMap { self[$0].session } }

    /// The name of a publication's writer, for messages.
    func ownerName(of id: PublicationID) -> String { find(id).map { self[$0].ownerName } ?? "" }
}
