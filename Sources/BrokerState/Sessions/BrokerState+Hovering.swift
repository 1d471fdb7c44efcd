import PasteboardWire

// Where a session is, and what a drop would do there: the source moves, the destination proposes, the broker judges.
extension BrokerState {
    /// Bytes of sessions that a peer may be told before it has answered for any: what comes at once, also of sessions that
    /// come and go, must not be more than it can leave unread.
    private static let toldAtOnce: UInt64 = 512 << 10

    /// The source says where the session is now.
    mutating func move(_ id: SessionID, to location: Location?) {
        self.sessions.update(id) {
            $0.declinedPlace = nil
            $0.isDirected = true
        }
        guard let location else {
            self.leaveHover(id)
            return self.reply(id, .cancel)
        }
        do throws(Failure) {
            let visit = try self.visit(of: id, to: try self.destination(location.destination, for: id))
            self.hover(id, over: visit, location)
        } catch {
            self.leaveHover(id)
            // There is such a destination, so that the name is no longer than one.
            if error.code == .typeUnavailable { self.sessions.update(id) { $0.declinedPlace = location } }
            self.reply(id, .cancel, refusal: error)
        }
    }

    private func destination(_ name: String, for id: SessionID) throws(Failure) -> DestinationID {
        if let found = self.findDestination(name, for: id) { return found }
        let isRestricted = self.sessions[id]?.isRestricted == true
        throw Failure(
            .nothingHere,
            "there is no destination \(name.printable.prefix(utf8Count: WireLimits.name))"
                + (isRestricted ? " in the process that the session is restricted to" : ""),
            detail: isRestricted ? nil : self.destinationList
        )
    }

    /// The session is over a destination, which is asked what it would do.
    mutating func hover(_ id: SessionID, over visit: VisitID, _ location: Location) {
        guard let session = self.sessions[id] else { return }
        var location = location
        location.destination = self.visits[visit].map { self.name(of: $0) } ?? ""
        if session.hover?.visit != visit { self.leaveHover(id) }
        if self.visits[visit]?.declinedVersion == session.version { return self.declined(id, at: location) }
        self.sessions.update(id) { [now = self.now] in
            $0.activeAt = now
            if $0.hover == nil { $0.hover = DragSession.Hover(visit: visit, location: location, since: now) }
            if $0.hover?.isAwaiting == false { $0.hover?.since = now }
            $0.hover?.location = location
            $0.hover?.isStale = true
        }
        self.ask(id)
    }

    /// Asks the destination that the session is over, unless it owes an answer: then what is newest is asked after that.
    mutating func ask(_ id: SessionID) {
        guard let session = self.sessions[id], session.phase == .tracking, let hover = session.hover, hover.isStale,
            let visit = self.visits[hover.visit], let peer = self.destinations[visit.destination]?.peer
        else { return }
        self.check(by: hover.since.addingClamped(self.limits.proposal))
        guard visit.owed == nil else { return }
        guard self.tell(hover.visit, visit, session, to: peer) else {
            return self.lose(id, self.doesNotAnswer(visit))
        }
        let sequence = visit.sequence + 1
        self.visits.update(hover.visit) {
            $0.sequence = sequence
            $0.owed = sequence
            $0.isInside = true
        }
        self.destinations.update(visit.destination) { $0.occupants.insert(hover.visit) }
        self.sessions.update(id) { [now = self.now] in
            $0.hover?.asked = sequence
            $0.hover?.askedMove = session.lastMove
            $0.hover?.askedVersion = session.version
            $0.hover?.isStale = false
            $0.hover?.since = now
        }
        self.check(by: self.now.addingClamped(self.limits.proposal))
        if visit.isInside {
            var update = Update()
            update.sequence = sequence
            update.location = hover.location
            update.version = session.version
            self.outbox.send(update, to: peer, stream: hover.visit.stream)
        } else {
            var enter = Enter()
            enter.sequence = sequence
            enter.location = hover.location
            enter.version = session.version
            self.outbox.send(enter, to: peer, stream: hover.visit.stream)
        }
    }

    /// Tells a destination what it does not know of the session yet. False if it has more to read already than is good.
    private mutating func tell(_ id: VisitID, _ visit: Visit, _ session: DragSession, to peer: PeerID) -> Bool {
        guard visit.toldVersion < session.version, let publication = self.publications[session.publication],
            let viewer = self.peers[peer]?.viewer
        else { return true }
        let metadata = publication.charge.amount.metadata
        let news = metadata - min(metadata, visit.toldMetadata)
        let items = UInt64(publication.items.count - visit.toldItems)
        // With what has no names: `session`, `enter`, `exit`, `end`, and the headers.
        guard self.mayTell(peer, news.addingClamped(1_024 + 64 * items)) else { return false }
        let places = publication.places(for: viewer)
        var message = Session()
        message.destination = self.destinations[visit.destination]?.stream
        message.handle = session.publication.rawValue
        message.version = session.version
        message.itemCount = UInt32(clamping: places.count)
        message.allowsMove = self.allowsMove(session, by: peer)
        message.isRestricted = session.isRestricted
        message.ownerLabel = publication.ownerLabel
        message.ownerProcess = publication.ownerProcess.pid
        self.outbox.send(message, to: peer, stream: id.stream)
        for place in places where place >= visit.toldItems {
            let item = self.describe(publication.items[place], of: publication, to: viewer)
            self.outbox.send(item, to: peer, stream: id.stream)
        }
        self.visits.update(id) {
            $0.toldVersion = session.version
            $0.toldItems = publication.items.count
            $0.toldMetadata = metadata
        }
        return true
    }

    private mutating func mayTell(_ id: PeerID, _ count: UInt64) -> Bool {
        guard let peer = self.peers[id] else { return false }
        let hasReadAll = peer.backlog.unread == 0 && self.now - peer.toldAt >= self.limits.proposal
        let told = hasReadAll ? 0 : peer.told
        let total = told.addingClamped(count)
        guard total <= Self.toldAtOnce || told == 0 else { return false }
        self.peers.update(id) { [now = self.now] in
            $0.told = total
            $0.toldAt = now
        }
        return true
    }

    func allowsMove(_ session: DragSession, by destination: PeerID) -> Bool {
        session.allowsMove
            && (session.movesBetweenProcesses
                || self.peers[destination]?.process == self.peers[session.source]?.process)
    }

    // MARK: What the destination would do

    mutating func proposed(_ proposal: Proposal, _ id: VisitID, _ visit: Visit, from peer: PeerID) throws(Failure) {
        let sequence = proposal.sequence ?? 0
        guard sequence <= visit.sequence else {
            throw Failure(.protocolViolation, "proposal \(sequence) answers nothing that was asked")
        }
        // Answered already.
        guard visit.owed == sequence else { return }
        let declines = proposal.cannotHandle == true
        self.visits.update(id) {
            $0.owed = nil
            $0.isLate = false
        }
        self.peers.update(peer) { $0.told = 0 }
        guard let session = self.sessions[visit.session] else { return }
        let isMeant = session.hover?.visit == id && session.hover?.asked == sequence
        if declines {
            self.visits.update(id) {
                $0.isInside = false
                // Of an older ask the items are not known any more.
                if isMeant { $0.declinedVersion = session.hover?.askedVersion }
            }
            self.destinations.update(visit.destination) { $0.occupants.remove(id) }
        }
        guard isMeant, let hover = session.hover else {
            // It answers for where the session was before: now for where it is.
            if session.hover?.visit == id { self.ask(visit.session) }
            return
        }
        self.sessions.update(visit.session) { [now = self.now] in
            $0.activeAt = now
            $0.hover?.asked = nil
        }
        if declines {
            if hover.askedVersion == session.version { return self.declined(visit.session, at: hover.location) }
            return self.ask(visit.session)
        }
        var standing = DropOperation(rawValue: proposal.operation ?? 0) ?? .cancel
        var refusal: Failure?
        if standing == .move, !self.allowsMove(session, by: peer) {
            standing = .cancel
            refusal = Failure(
                .notPermitted,
                "destination \(self.name(of: visit)) would move the items, which the session does not allow"
                    + (session.allowsMove ? " between processes" : "")
            )
        }
        self.sessions.update(visit.session) {
            $0.hover?.proposal = DragSession.Standing(operation: standing, version: hover.askedVersion)
        }
        self.reply(visit.session, standing, of: proposal, to: hover.askedMove, refusal: refusal)
        if hover.isStale { self.ask(visit.session) } else if session.isLifting { self.letGo(visit.session) }
    }

    /// The destination takes none of these items: the session is over nothing.
    private mutating func declined(_ id: SessionID, at location: Location) {
        self.sessions.update(id) {
            $0.hover = nil
            if $0.isDirected { $0.declinedPlace = location }
        }
        var proposal = Proposal()
        proposal.cannotHandle = true
        self.reply(id, .cancel, of: proposal)
        if self.sessions[id]?.isLifting == true { self.letGo(id) }
    }

    /// Tells the source what a drop would do.
    private mutating func reply(
        _ id: SessionID,
        _ operation: DropOperation,
        of answer: Proposal = Proposal(),
        to move: UInt64? = nil,
        refusal: Failure? = nil
    ) {
        guard let session = self.sessions[id] else { return }
        var proposal = Proposal()
        proposal.sequence = move ?? session.lastMove
        proposal.operation = operation.rawValue
        proposal.isPrecise = answer.isPrecise
        proposal.prefersFullSizePreview = answer.prefersFullSizePreview
        proposal.cannotHandle = answer.cannotHandle
        proposal.refusal = refusal
        self.outbox.send(proposal, to: session.source, stream: session.stream)
    }

    /// The session is over nothing now: what it was over is told, if it knows that it was.
    private mutating func leaveHover(_ id: SessionID) {
        guard let visitID = self.sessions[id]?.hover?.visit else { return }
        self.sessions.update(id) { $0.hover = nil }
        guard let visit = self.visits[visitID], visit.isInside, let peer = self.destinations[visit.destination]?.peer
        else { return }
        self.visits.update(visitID) { $0.isInside = false }
        self.outbox.send(Exit(), to: peer, stream: visitID.stream)
    }

    /// The session has lost the destination that it was over: its source is told why.
    mutating func lose(_ id: SessionID, _ failure: Failure) {
        guard let session = self.sessions[id], let hover = session.hover else { return }
        self.leaveHover(id)
        if hover.isAwaiting {
            self.reply(id, .cancel, refusal: failure)
        } else {
            var exit = Exit()
            exit.refusal = failure
            self.outbox.send(exit, to: session.source, stream: session.stream)
        }
        if session.isLifting { self.letGo(id) }
    }

    private func doesNotAnswer(_ visit: Visit) -> Failure {
        Failure(.timeout, "destination \(self.name(of: visit)) has not answered within \(self.limits.proposal) ms")
    }

    /// No proposal came in time: a drop would do nothing, and the destination has no other session before it answers.
    mutating func proposalIsLate(_ id: SessionID) {
        guard let hover = self.sessions[id]?.hover, let visit = self.visits[hover.visit] else { return }
        self.visits.update(hover.visit) { $0.isLate = $0.owed != nil }
        self.lose(id, self.doesNotAnswer(visit))
    }
}
