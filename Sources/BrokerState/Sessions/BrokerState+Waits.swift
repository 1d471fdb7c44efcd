import PasteboardWire

// Waits for destinations that are not registered yet, so that sources need not poll.
extension BrokerState {
    mutating func wait(_ wait: Wait, stream: UInt64, for peer: PeerID) throws(Failure) {
        try Feature.check(wait.requires)
        try BoardName.check(wait.destination, of: "a destination")
        guard let owner = peers[peer] else { return }
        var session: SessionID?
        if let handle = wait.handle { session = try openSession(handle, of: peer) }
        if isAvailable(wait.destination, for: session, of: owner.process) {
            return outbox.send(End(), to: peer, stream: stream)
        }
        // The limits of destinations apply: a new destination is compared with all waits.
        let own = waits.ids.count { waits[$0]?.process == owner.process }
        guard own < limits.destinationsPerProcess, waits.count < limits.destinations else {
            throw Failure(
                .limitExceeded,
                "process \(owner.process.pid) has \(own) of \(waits.count) waits for destinations; limit "
                    + "destinations-per-process is \(limits.destinationsPerProcess), limit destinations "
                    + "\(limits.destinations)"
            )
        }
        let charge = try accounting.charge(
            owner.account,
            Accounting.Amount(objects: 1, metadata: UInt64(wait.destination.utf8.count)),
            for: "a wait for a destination"
        )
        let milliseconds = wait.milliseconds ?? .max
        let endsBy = now.addingClamped(milliseconds)
        let id = waits.insert(
            DestinationWait(
                peer: peer,
                process: owner.process,
                stream: stream,
                name: wait.destination,
                session: session,
                milliseconds: milliseconds,
                endsBy: endsBy,
                charge: charge
            )
        )
        peers.update(peer) { $0.streams[stream] = .wait(id) }
        if let session { sessions.update(session) { $0.waits += 1 } }
        check(by: endsBy)
    }

    private func isAvailable(_ name: String, for session: SessionID?, of process: ProcessKey) -> Bool {
        if let session { return findDestination(name, for: session) != nil }
        return destinationNames[name].flatMap { destinations[$0] }?.isVisible(to: process) ?? false
    }

    /// Answers the waits for a destination that was registered.
    mutating func answerWaits(for id: DestinationID) {
        guard let name = destinations[id]?.name else { return }
        for id in waits.ids {
            guard let wait = waits[id], wait.name == name,
                isAvailable(name, for: wait.session, of: wait.process)
            else { continue }
            outbox.send(End(), to: wait.peer, stream: wait.stream)
            forget(id)
        }
    }

    mutating func checkWaits() {
        var list: String??
        for id in waits.ids {
            guard let wait = waits[id] else { continue }
            guard wait.endsBy <= now else {
                check(by: wait.endsBy)
                continue
            }
            // Computed once for all waits that end now, because it costs a look at many names.
            let names = list ?? destinationList
            list = names
            let text = "no destination \(wait.name.printable) was registered within \(wait.milliseconds) ms"
            let failure = Failure(.nothingHere, text, detail: names)
            outbox.send(failure, to: wait.peer, stream: wait.stream)
            forget(id)
        }
    }

    /// Ends the waits of a session that has been dropped or has ended.
    mutating func endWaits(of session: SessionID) {
        guard sessions[session]?.waits ?? 0 > 0 else { return }
        for id in waits.ids {
            guard let wait = waits[id], wait.session == session else { continue }
            let failure = Failure(.superseded, "the drag session that waited has been dropped or has ended")
            outbox.send(failure, to: wait.peer, stream: wait.stream)
            forget(id)
        }
    }

    /// Removes a wait that was answered or cancelled.
    mutating func forget(_ id: WaitID) {
        guard let wait = waits.remove(id) else { return }
        peers.update(wait.peer) { $0.streams[wait.stream] = nil }
        accounting.release(wait.charge)
        guard let session = wait.session else { return }
        sessions.update(session) { [now] in
            $0.waits -= 1
            $0.activeAt = now
        }
        checkDeadline(of: session)
    }
}
