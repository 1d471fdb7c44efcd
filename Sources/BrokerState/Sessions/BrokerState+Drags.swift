import PasteboardWire

// What a source says of its drag session: items, begin, move, drop, and that it is gone.
extension BrokerState {
    /// Opens a session, or an addition to one: items and a commit follow as in a write.
    mutating func beginDrag(_ drag: Drag, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(drag.requires)
        var target = PendingWrite.Target.session(drag)
        if let handle = drag.handle { target = .addition(to: try self.openSession(handle, of: peer)) }
        try self.beginWrite(to: target, stream: stream, from: peer)
    }

    func openSession(_ handle: UInt64, of peer: PeerID) throws(Failure) -> SessionID {
        guard let id = self.publications[PublicationID(rawValue: handle)]?.session, let session = self.sessions[id],
            session.source == peer, session.phase == .offered || session.phase == .tracking, !session.isLifting
        else {
            throw Failure(.superseded, "this connection has no such session, or it has been dropped or has ended")
        }
        return id
    }

    func checkRoomForSession(of process: ProcessKey) throws(Failure) {
        let own = self.sessions.ids.count { id in
            self.sessions[id].flatMap { self.peers[$0.source]?.process } == process
        }
        guard own < self.limits.sessionsPerProcess, self.sessions.count < self.limits.sessions else {
            throw Failure(
                .limitExceeded,
                "process \(process.pid) has \(own) of \(self.sessions.count) drag sessions; limit sessions-per-process is "
                    + "\(self.limits.sessionsPerProcess), limit sessions \(self.limits.sessions)"
            )
        }
    }

    mutating func commitSession(_ drag: Drag, _ write: PendingWrite, of peer: Peer) {
        let publication = self.publish(write, of: peer, board: "")
        let id = self.sessions.insert(
            DragSession(
                source: write.peer,
                stream: write.stream,
                publication: publication,
                allowsMove: drag.allowsMove ?? true,
                isRestricted: drag.isRestricted ?? false,
                movesBetweenProcesses: drag.movesBetweenProcesses ?? false,
                startedAt: self.now,
                activeAt: self.now
            )
        )
        self.publications.update(publication) { $0.session = id }
        self.peers.update(write.peer) { $0.streams[write.stream] = .drag(id) }
        self.counters.sessions += 1
        self.checkDeadline(of: id)
        self.sendVersion(of: id, to: write.peer, stream: write.stream)
    }

    mutating func commitAddition(to id: SessionID, _ writeID: WriteID, _ write: PendingWrite) throws(Failure) {
        guard let session = self.sessions[id], let held = self.publications[session.publication] else {
            throw Failure(.superseded, "the session has ended")
        }
        _ = try self.openSession(session.publication.rawValue, of: write.peer)
        let count = held.items.count + write.items.count
        guard count <= WireLimits.items else {
            throw Failure(
                .limitExceeded,
                "the session would have \(count) items; at most \(WireLimits.items) are allowed"
            )
        }
        let metadata = held.charge.amount.metadata + write.metadata
        guard metadata <= self.limits.metadataPerSession else {
            throw Failure(
                .limitExceeded,
                "names and types of the session would take \(metadata) bytes; limit metadata-per-session is "
                    + "\(self.limits.metadataPerSession)"
            )
        }
        self.writes.remove(writeID)
        for kept in write.keptBytes { self.outbox.perform(.sealKept(kept)) }
        self.publications.update(session.publication) { $0.append(write.items, charge: write.charge) }
        self.peers.update(write.peer) { $0.streams[write.stream] = nil }
        self.sessions.update(id) { [now = self.now] in
            $0.version += 1
            $0.activeAt = now
            if $0.hover?.isAwaiting == false { $0.hover?.since = now }
            $0.hover?.isStale = true
        }
        self.sendVersion(of: id, to: write.peer, stream: write.stream)
        self.outbox.send(End(), to: write.peer, stream: write.stream)
        if session.hover == nil, let place = session.declinedPlace { return self.move(id, to: place) }
        self.ask(id)
    }

    private mutating func sendVersion(of id: SessionID, to peer: PeerID, stream: UInt64) {
        guard let session = self.sessions[id] else { return }
        var committed = Committed()
        committed.changeCount = session.version
        committed.epoch = self.epoch
        committed.handle = session.publication.rawValue
        self.outbox.send(committed, to: peer, stream: stream)
    }

    // MARK: Frames of the source

    /// A frame on the stream of a source's session.
    mutating func fromDragSource(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard let open = self.peers[peer]?.streams[stream] else { return try self.checkIsLate(stream, of: peer) }
        guard case .drag(let id) = open, let session = self.sessions[id] else {
            throw Failure(.protocolViolation, "\(kind) on stream \(stream), which is no session with items")
        }
        switch (kind, session.phase) {
        case (.begin, .offered):
            self.sessions.update(id) { [now = self.now] in
                $0.phase = .tracking
                $0.activeAt = now
            }
        case (.move, .tracking):
            let move = try Move(decoding: payload)
            // Once it has let go, it does not move any more.
            guard !session.isLifting else { return }
            self.sessions.update(id) { [now = self.now] in
                $0.activeAt = now
                $0.lastMove = move.sequence ?? 0
            }
            self.move(id, to: move.location)
        case (.drop, .tracking):
            self.lift(id)
        case (.move, .dropping), (.move, .transferring), (.drop, .dropping), (.drop, .transferring):
            return
        default:
            throw Failure(.protocolViolation, "\(kind) does not fit the session: begin comes once, and before the rest")
        }
    }

    // MARK: Its end

    /// Ends the sessions of a peer that has gone, and those that it had as a destination.
    ///
    /// - Returns: the items of its own sessions, whose loads are to end.
    mutating func endSessions(of peer: PeerID) -> [PublicationID] {
        var publications: [PublicationID] = []
        for (_, stream) in (self.peers[peer]?.streams ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .drag(let id):
                guard let publication = self.sessions[id]?.publication else { continue }
                publications.append(publication)
                self.end(id, at: self.sourceGone(publication))
            case .destination(let id): self.destinationLeft(id)
            case .write, .publication, .wait: break
            }
        }
        return publications
    }

    private func sourceGone(_ publication: PublicationID) -> Failure {
        Failure(.sourceGone, "source \(self.publications[publication]?.ownerName ?? "") of the session has gone")
    }

    /// The source has withdrawn the session: what was dropped is not transferred.
    mutating func sourceLeft(_ id: SessionID) {
        guard let session = self.sessions[id] else { return }
        let name = self.publications[session.publication]?.ownerName ?? ""
        let failure = Failure(.cancelled, "source \(name) has withdrawn the session")
        self.end(id, at: session.drop == nil ? nil : failure)
        self.ownerLeft(session.publication)
    }

    /// Ends the session for all but its source, which has been told: the streams of its visits end, each once.
    ///
    /// - Parameter failure: what the destinations hear; nil for the ordinary end.
    mutating func end(_ id: SessionID, at failure: Failure? = nil) {
        self.endWaits(of: id)
        guard let session = self.sessions.remove(id) else { return }
        for visit in session.visits.values.sorted(by: { $0.slot < $1.slot }) { self.endVisit(visit, failure) }
        self.peers.update(session.source) { $0.streams[session.stream] = nil }
        self.publications.update(session.publication) {
            $0.session = nil
            $0.isCurrent = false
        }
        self.removeIfUnused(session.publication)
    }
}
