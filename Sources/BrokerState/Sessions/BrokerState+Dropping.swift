import PasteboardWire

// From letting go to the end: the window, the loads in it, and who hears what has become of the items.
extension BrokerState {
    /// The source lets go. What is still being asked is waited for.
    mutating func lift(_ id: SessionID) {
        guard self.sessions[id]?.isLifting == false else { return }
        self.endWaits(of: id)
        self.sessions.update(id) { [now = self.now] in
            $0.isLifting = true
            $0.activeAt = now
        }
        if self.sessions[id]?.hover?.isAwaiting != true { self.letGo(id) }
    }

    /// The proposal that counts is there, or there is none.
    mutating func letGo(_ id: SessionID) {
        guard let session = self.sessions[id] else { return }
        let standing = session.hover?.proposal
        let operation = standing?.version == session.version ? standing?.operation ?? .cancel : .cancel
        var dropped = Dropped()
        dropped.operation = operation.rawValue
        self.outbox.send(dropped, to: session.source, stream: session.stream)
        guard operation.transfers, let hover = session.hover, let visit = self.visits[hover.visit],
            let peer = self.destinations[visit.destination]?.peer
        else {
            self.outbox.send(End(), to: session.source, stream: session.stream)
            return self.end(id)
        }
        self.sessions.update(id) { [now = self.now] in
            $0.phase = .dropping
            $0.drop = SessionDrop(visit: hover.visit, operation: operation, quietSince: now)
            $0.visits = [visit.destination: hover.visit]
            $0.hover = nil
        }
        // It ends with `end`, and not with an exit.
        self.visits.update(hover.visit) { $0.isInside = false }
        self.counters.drops += 1
        self.checkDeadline(of: id)
        var perform = Perform()
        perform.operation = operation.rawValue
        perform.location = hover.location
        perform.version = session.version
        self.outbox.send(perform, to: peer, stream: hover.visit.stream)
        for other in session.visits.values.sorted(by: { $0.slot < $1.slot }) where other != hover.visit {
            self.endVisit(other, nil)
        }
    }

    // MARK: Loads

    /// Whether a publication's items are being moved: what lies at the source goes then.
    func isMove(of publication: PublicationID) -> Bool {
        self.publications[publication]?.session.flatMap { self.sessions[$0]?.drop?.operation } == .move
    }

    /// Loads of a session's items begin at its destination alone, while the drop is performed.
    func checkWindow(of id: SessionID, for peer: PeerID) throws(Failure) {
        guard let session = self.sessions[id], session.phase == .dropping, let drop = session.drop,
            let visit = self.visits[drop.visit], self.destinations[visit.destination]?.peer == peer
        else {
            // Who has not been told of the session does not learn of it here.
            let isKnown = self.sessions[id]?.visits.values.contains { visit in
                self.visits[visit].map { $0.isOpen && self.destinations[$0.destination]?.peer == peer } ?? false
            }
            guard isKnown == true || self.sessions[id]?.source == peer else { throw Self.noContents }
            throw Failure(
                .notLoadableNow,
                "items of a drag session are loaded by its destination, while a drop there is performed and not after"
            )
        }
    }

    mutating func sessionLoadBegan(_ id: SessionID, _ part: SessionDrop.Part) {
        self.sessions.update(id) {
            $0.drop?.openLoads += 1
            $0.drop?.ask(part)
        }
    }

    /// - Parameter failure: nil if all bytes are there.
    mutating func sessionLoadEnded(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure?) {
        self.sessions.update(id) { [now = self.now] in
            $0.drop?.openLoads -= 1
            $0.drop?.quietSince = now
            if failure == nil { $0.drop?.flow(at: now) }
            $0.drop?.end(part, failure)
        }
        guard self.sessions[id]?.drop?.openLoads == 0 else { return }
        self.checkDeadline(of: id)
        self.settle(id)
    }

    /// A load that had ended well has not, after all: its file could not be handed on.
    mutating func sessionLoadFailed(_ id: SessionID, _ part: SessionDrop.Part, _ failure: Failure) {
        self.sessions.update(id) { $0.drop?.lose(part, failure) }
        self.settle(id)
    }

    // MARK: What the destination says

    /// The destination has reported progress: it asks a person, for example, or moves a loaded file to its final place.
    mutating func reported(_ visit: VisitID, _ progress: Progress) {
        guard let id = self.visits[visit]?.session, self.sessions[id]?.drop?.visit == visit else { return }
        self.sessions.update(id) { [now = self.now] in $0.drop?.report(progress.completed, at: now) }
        self.checkDeadline(of: id)
    }

    /// The handler has returned, which closes the window. A repeated message counts only if it brings a failure, because
    /// each one costs a look at all items.
    mutating func performed(_ visit: VisitID, items: [UInt32], failure: Failure?) {
        guard let id = self.visits[visit]?.session, let drop = self.sessions[id]?.drop, drop.visit == visit,
            !drop.isPerformed || drop.failure == nil && failure != nil
        else { return }
        self.sessions.update(id) { $0.drop?.isPerformed = true }
        self.closeWindow(of: id, taken: items, failure)
    }

    mutating func closeWindow(of id: SessionID, taken items: [UInt32] = [], _ failure: Failure? = nil) {
        self.sessions.update(id) { [now = self.now] in
            if $0.phase == .dropping { $0.drop?.quietSince = now }
            $0.phase = .transferring
            if let failure { $0.drop?.failure = failure }
        }
        self.took(items, in: id)
        self.checkDeadline(of: id)
        self.settle(id)
    }

    /// The destination has what it asked for, or will not have it.
    mutating func concluded(_ visit: VisitID, items: [UInt32], failure: Failure?) {
        guard let id = self.visits[visit]?.session, let drop = self.sessions[id]?.drop, drop.visit == visit,
            !drop.isConcluded || drop.loss == nil && failure != nil
        else { return }
        self.sessions.update(id) {
            $0.drop?.isConcluded = true
            if let failure { $0.drop?.loss = failure }
        }
        self.closeWindow(of: id, taken: items)
    }

    /// Items that were taken without a load, which is possible within one process.
    private mutating func took(_ items: [UInt32], in id: SessionID) {
        guard let session = self.sessions[id], let visit = session.drop.flatMap({ self.visits[$0.visit] }),
            let peer = self.destinations[visit.destination]?.peer, let viewer = self.peers[peer]?.viewer,
            viewer.process == self.peers[session.source]?.process,
            let places = self.publications[session.publication]?.places(for: viewer)
        else { return }
        self.sessions.update(id) {
            for item in items where Int(item) < places.count {
                let place = UInt32(clamping: places[Int(item)])
                $0.drop?.taken.insert(place)
            }
        }
    }

    // MARK: The result

    /// Ends the session once nothing more can happen to it.
    private mutating func settle(_ id: SessionID) {
        guard let session = self.sessions[id], session.phase == .transferring, let drop = session.drop,
            drop.openLoads == 0
        else { return }
        if let failure = drop.failure { return self.finish(id, failure: self.refusal(failure, of: drop)) }
        if drop.isIdle, drop.loss == nil {
            self.outbox.send(End(), to: session.source, stream: session.stream)
            return self.end(id)
        }
        // What the broker knows says more than what came of it at the destination.
        if let missing = drop.missing { return self.finish(id, failure: missing) }
        if let loss = drop.loss { return self.finish(id, failure: self.refusal(loss, of: drop)) }
        guard drop.isConcluded else { return }
        let count = self.publications[session.publication]?.items.count ?? 0
        guard drop.operation == .move, drop.items.count < count else { return self.finish(id, failure: nil) }
        let text = "the destination took \(drop.items.count) of \(count) items; the others stay where they are"
        self.finish(id, failure: Failure(.refused, text), isPart: true)
    }

    private func refusal(_ failure: Failure, of drop: SessionDrop) -> Failure {
        let name = self.visits[drop.visit].map { self.name(of: $0) } ?? ""
        return Failure(.refused, "destination \(name) did not take the drop: \(failure.text.printable)")
    }

    /// Reports the result of the drop to both sides, and ends the session.
    ///
    /// - Parameter isPart: whether a move failed only because the destination left some of the items.
    mutating func finish(_ id: SessionID, failure: Failure?, isPart: Bool = false) {
        guard let session = self.sessions[id], let drop = session.drop else { return }
        var transferred = Transferred()
        transferred.operation = drop.operation.rawValue
        if failure == nil || isPart || drop.operation == .copy { transferred.items = drop.items.sorted() }
        transferred.failure = failure
        self.outbox.send(transferred, to: session.source, stream: session.stream)
        self.outbox.send(End(), to: session.source, stream: session.stream)
        self.report(transferred, to: drop.visit, of: session.publication)
        self.end(id)
    }

    /// Sends the destination, if it still exists, the same result as the source, with the destination's own item numbers.
    private mutating func report(_ transferred: Transferred, to visit: VisitID, of publication: PublicationID) {
        guard let peer = self.visits[visit].flatMap({ self.destinations[$0.destination]?.peer }),
            let destination = self.peers[peer], destination.hearsOfDrops
        else { return }
        let places = self.publications[publication]?.places(for: destination.viewer) ?? []
        let items = Set(transferred.items)
        var transferred = transferred
        transferred.items = places.indices.filter { items.contains(UInt32(clamping: places[$0])) }.map {
            UInt32(clamping: $0)
        }
        self.outbox.send(transferred, to: peer, stream: visit.stream)
    }
}
