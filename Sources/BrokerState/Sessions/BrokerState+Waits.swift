import PasteboardWire

// Waits for destinations that do not exist yet, so that sources need not poll.
extension BrokerState {
    mutating func wait(_ wait: Wait, stream: UInt64, for peer: PeerID) throws(Failure) {
        try Feature.check(wait.requires)
        try BoardName.check(wait.destination, of: "a destination")
        guard let owner = self.peers[peer] else { return }
        var session: SessionID?
        if let handle = wait.handle { session = try self.openSession(handle, of: peer) }
        if self.isThere(wait.destination, for: session, of: owner.process) {
            return self.outbox.send(End(), to: peer, stream: stream)
        }
        // The limits of destinations apply: a new destination is compared with all waits.
        let own = self.waits.ids.count { id in
            self.waits[id].flatMap { self.peers[$0.peer]?.process } == owner.process
        }
        guard own < self.limits.destinationsPerProcess, self.waits.count < self.limits.destinations else {
            throw Failure(
                .limitExceeded,
                "process \(owner.process.pid) has \(own) of \(self.waits.count) waits for destinations; limit "
                    + "destinations-per-process is \(self.limits.destinationsPerProcess), limit destinations "
                    + "\(self.limits.destinations)"
            )
        }
        let charge = try self.accounting.charge(
            owner.account,
            Accounting.Amount(objects: 1, metadata: UInt64(wait.destination.utf8.count)),
            for: "a wait for a destination"
        )
        let milliseconds = wait.milliseconds ?? .max
        let endsBy = self.now.addingClamped(milliseconds)
        let id = self.waits.insert(
            DestinationWait(
                peer: peer,
                stream: stream,
                name: wait.destination,
                session: session,
                milliseconds: milliseconds,
                endsBy: endsBy,
                charge: charge
            )
        )
        self.peers.update(peer) { $0.streams[stream] = .wait(id) }
        if let session { self.sessions.update(session) { $0.waits += 1 } }
        self.check(by: endsBy)
    }

    private func isThere(_ name: String, for session: SessionID?, of process: ProcessKey?) -> Bool {
        if let session { return self.findDestination(name, for: session) != nil }
        return self.destinationNames[name].flatMap { self.destinations[$0] }.map { self.isShown($0, to: process) }
            ?? false
    }

    /// Answers the waits for a destination that was registered.
    mutating func announce(_ id: DestinationID) {
        guard let name = self.destinations[id]?.name else { return }
        for wait in self.waits.ids {
            guard let waiting = self.waits[wait], waiting.name == name,
                self.isThere(name, for: waiting.session, of: self.peers[waiting.peer]?.process)
            else { continue }
            self.outbox.send(End(), to: waiting.peer, stream: waiting.stream)
            self.forget(wait)
        }
    }

    mutating func checkWaits() {
        var list: String??
        for id in self.waits.ids {
            guard let wait = self.waits[id] else { continue }
            guard wait.endsBy <= self.now else {
                self.check(by: wait.endsBy)
                continue
            }
            // Computed once for all waits that end now: it costs a look at many names.
            let destinations = list ?? self.destinationList
            list = destinations
            let text = "no destination \(wait.name.printable) was registered within \(wait.milliseconds) ms"
            let failure = Failure(.nothingHere, text, detail: destinations)
            self.outbox.send(failure, to: wait.peer, stream: wait.stream)
            self.forget(id)
        }
    }

    /// Ends the waits of a session that has been dropped or has ended.
    mutating func endWaits(of session: SessionID) {
        guard self.sessions[session]?.waits ?? 0 > 0 else { return }
        for id in self.waits.ids {
            guard let wait = self.waits[id], wait.session == session else { continue }
            let failure = Failure(.superseded, "the drag session that waited has been dropped or has ended")
            self.outbox.send(failure, to: wait.peer, stream: wait.stream)
            self.forget(id)
        }
    }

    /// Removes a wait that was answered or cancelled.
    mutating func forget(_ id: WaitID) {
        guard let wait = self.waits.remove(id) else { return }
        self.peers.update(wait.peer) { $0.streams[wait.stream] = nil }
        self.accounting.release(wait.charge)
        guard let session = wait.session else { return }
        self.sessions.update(session) { [now = self.now] in
            $0.waits -= 1
            $0.activeAt = now
        }
        self.checkDeadline(of: session)
    }
}
