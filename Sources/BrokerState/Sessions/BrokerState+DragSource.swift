import PasteboardWire

// The source's side of a drag session: its items, its frames, and its end.
extension BrokerState {
    // MARK: Items

    /// Opens a session, or an addition to one. Items and a commit follow as in a write.
    mutating func beginDrag(_ drag: Drag, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(drag.requires)
        var target = PendingWrite.Target.session(drag)
        if let handle = drag.handle { target = .addition(to: try openSession(handle, of: peer)) }
        try beginWrite(to: target, stream: stream, from: peer)
    }

    /// The session of a source that is not dropped yet.
    func openSession(_ handle: UInt64, of peer: PeerID) throws(Failure) -> SessionID {
        guard let id = publications[PublicationID(rawValue: handle)]?.session, let session = sessions[id],
            session.source == peer, session.phase.isOpen
        else {
            throw Failure(.superseded, "this connection has no such session, or it has been dropped or has ended")
        }
        return id
    }

    func checkRoomForSession(of process: ProcessKey) throws(Failure) {
        let own = sessions.ids.count { sessions[$0]?.process == process }
        guard own < limits.sessionsPerProcess, sessions.count < limits.sessions else {
            throw Failure(
                .limitExceeded,
                "process \(process.pid) has \(own) of \(sessions.count) drag sessions; limit sessions-per-process is "
                    + "\(limits.sessionsPerProcess), limit sessions \(limits.sessions)"
            )
        }
    }

    mutating func commitSession(_ drag: Drag, _ write: PendingWrite, of peer: Peer) {
        let publication = publish(write, of: peer, board: "")
        let id = sessions.insert(
            DragSession(
                source: write.peer,
                process: peer.process,
                stream: write.stream,
                publication: publication,
                allowsMove: drag.allowsMove ?? true,
                isRestricted: drag.isRestricted ?? false,
                movesBetweenProcesses: drag.movesBetweenProcesses ?? false,
                startedAt: now,
                activeAt: now
            )
        )
        publications.update(publication) { $0.session = id }
        peers.update(write.peer) { $0.streams[write.stream] = .drag(id) }
        counters.sessions += 1
        checkDeadline(of: id)
        sendVersion(of: id, to: write.peer, stream: write.stream)
    }

    mutating func commitAddition(to id: SessionID, _ writeID: WriteID, _ write: PendingWrite) throws(Failure) {
        guard let session = sessions[id], let publication = publications[session.publication] else {
            throw Failure(.superseded, "the session has ended")
        }
        _ = try openSession(session.publication.rawValue, of: write.peer)
        let count = publication.items.count + write.items.count
        guard count <= WireLimits.items else {
            throw Failure(
                .limitExceeded,
                "the session would have \(count) items; at most \(WireLimits.items) are allowed"
            )
        }
        let metadata = publication.charge.amount.metadata + write.metadata
        guard metadata <= limits.metadataPerSession else {
            throw Failure(
                .limitExceeded,
                "names and types of the session would take \(metadata) bytes; limit metadata-per-session is "
                    + "\(limits.metadataPerSession)"
            )
        }
        writes.remove(writeID)
        for kept in write.keptBytes { outbox.perform(.sealKept(kept)) }
        publications.update(session.publication) { $0.append(write.items, charge: write.charge) }
        peers.update(write.peer) { $0.streams[write.stream] = nil }
        sessions.update(id) { [now] in
            $0.version += 1
            $0.activeAt = now
            $0.phase.updateTracking { $0.invalidate(at: now) }
        }
        sendVersion(of: id, to: write.peer, stream: write.stream)
        outbox.send(End(), to: write.peer, stream: write.stream)
        if session.phase.tracking == nil, let location = session.declinedLocation { return track(id, to: location) }
        ask(id)
    }

    private mutating func sendVersion(of id: SessionID, to peer: PeerID, stream: UInt64) {
        guard let session = sessions[id] else { return }
        var committed = Committed()
        committed.changeCount = session.version
        committed.epoch = epoch
        committed.handle = session.publication.rawValue
        outbox.send(committed, to: peer, stream: stream)
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
        guard case .drag(let id) = open, var phase = sessions[id]?.phase else {
            throw Failure(.protocolViolation, "\(kind) on stream \(stream), which is no session with items")
        }
        let frame: DragSessionPhase.SourceFrame =
            switch kind {
            case .begin: .begin
            case .move: .pointerUpdate
            default: .drop
            }
        let outcome = phase.take(frame)
        sessions.update(id) { $0.phase = phase }
        switch outcome {
        case .began: noteActivity(of: id)
        case .tracks:
            let update = try Move(decoding: payload)
            sessions.update(id) { $0.lastPointerUpdate = update.sequence ?? 0 }
            noteActivity(of: id)
            track(id, to: update.location)
        case .awaitsProposal:
            endWaits(of: id)
            noteActivity(of: id)
        case .decides:
            endWaits(of: id)
            noteActivity(of: id)
            drop(id)
        case .isLate: return
        case .isViolation:
            throw Failure(.protocolViolation, "\(kind) does not fit the session: begin comes once, and before the rest")
        }
    }

    private mutating func noteActivity(of id: SessionID) {
        sessions.update(id) { [now] in $0.activeAt = now }
    }

    // MARK: The end

    /// Ends the sessions of a peer that has gone, and those that it had as a destination.
    ///
    /// - Returns: the publications of its own sessions, whose loads are to end.
    mutating func endSessions(of peer: PeerID) -> [PublicationID] {
        var publications: [PublicationID] = []
        for (_, stream) in (peers[peer]?.streams ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .drag(let id):
                guard let publication = sessions[id]?.publication else { continue }
                publications.append(publication)
                end(id, at: sourceGone(publication))
            case .destination(let id): destinationLeft(id)
            case .write, .publication, .wait: break
            }
        }
        return publications
    }

    private func sourceGone(_ publication: PublicationID) -> Failure {
        Failure(.sourceGone, "source \(publications[publication]?.ownerName ?? "") of the session has gone")
    }

    /// Ends a session that its source has withdrawn: nothing more of a drop is transferred.
    mutating func sourceLeft(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        let name = publications[session.publication]?.ownerName ?? ""
        let failure = Failure(.cancelled, "source \(name) has withdrawn the session")
        end(id, at: session.phase.drop == nil ? nil : failure)
        ownerLeft(session.publication)
    }

    /// Ends the session for all but its source, which has been notified. The streams of its destination sessions end, each
    /// once.
    ///
    /// - Parameter failure: the error for the destinations; nil for the ordinary end.
    mutating func end(_ id: SessionID, at failure: Failure? = nil) {
        endWaits(of: id)
        guard let session = sessions.remove(id) else { return }
        for other in session.destinationSessions.values.sorted(by: { $0.slot < $1.slot }) {
            endDestinationSession(other, failure)
        }
        peers.update(session.source) { $0.streams[session.stream] = nil }
        publications.update(session.publication) {
            $0.session = nil
            $0.isCurrent = false
        }
        removeIfUnused(session.publication)
    }
}
