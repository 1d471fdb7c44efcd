import PasteboardWire
import TypeIdentifiers

// Destinations: their names, and the sessions that come to them.
extension BrokerState {
    mutating func register(_ destination: Destination, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(destination.requires)
        try BoardName.check(destination.name, of: "a destination")
        guard let owner = self.peers[peer] else { return }
        let hidden = destination.isOwnProcess ?? false
        if let holder = self.destinationNames[destination.name].flatMap({ self.destinations[$0] }) {
            let isShown = !holder.isOwnProcess || self.peers[holder.peer]?.process == owner.process
            let name = isShown ? self.peers[holder.peer]?.name ?? "" : "another process"
            throw Failure(
                .refused,
                "the destination \(destination.name) is \(name)'s; choose another name, or end that"
            )
        }
        let own = self.destinations.ids.count { id in
            self.destinations[id].flatMap { self.peers[$0.peer]?.process } == owner.process
        }
        guard own < self.limits.destinationsPerProcess, self.destinations.count < self.limits.destinations else {
            throw Failure(
                .limitExceeded,
                "process \(owner.process.pid) has \(own) of \(self.destinations.count) destinations; limit "
                    + "destinations-per-process is \(self.limits.destinationsPerProcess), limit destinations "
                    + "\(self.limits.destinations)"
            )
        }
        for accept in destination.accepts where accept.match != 2 && !TypeIdentifier.isWellFormed(accept.type) {
            throw Failure(
                .invalidArgument,
                "'\(accept.type.printable.prefix(utf8Count: WireLimits.name))', which the destination takes, is not a type "
                    + "identifier: letters, digits, '-', '.' and '_', at most \(WireLimits.typeIdentifier) bytes"
            )
        }
        let types = destination.accepts.map { $0.match == 2 ? "" : $0.type }
        let metadata = types.reduce(UInt64(destination.name.utf8.count)) { $0 + UInt64($1.utf8.count) }
        let charge = try self.accounting.charge(
            owner.account,
            Accounting.Amount(objects: 1, metadata: metadata),
            for: "a destination"
        )
        let id = self.destinations.insert(
            StoredDestination(
                peer: peer,
                stream: stream,
                name: destination.name,
                types: types.contains("") ? [] : types,
                accepts: AcceptedTypes(destination.accepts),
                isOwnProcess: hidden,
                allowsSimultaneousSessions: destination.allowsSimultaneousSessions ?? false,
                charge: charge
            )
        )
        self.destinationNames[destination.name] = id
        self.peers.update(peer) { $0.streams[stream] = .destination(id) }
        self.outbox.send(Registered(), to: peer, stream: stream)
        self.announce(id)
    }

    /// A destination is given up, or its process has gone.
    mutating func destinationLeft(_ id: DestinationID) {
        guard let destination = self.destinations[id] else { return }
        self.destinationNames[destination.name] = nil
        self.peers.update(destination.peer) { $0.streams[destination.stream] = nil }
        let name = self.peers[destination.peer]?.name ?? ""
        let failure = Failure(.destinationGone, "destination \(destination.name) of \(name) has gone")
        for visit in destination.visits.sorted(by: { $0.slot < $1.slot }) { self.leave(visit, failure) }
        self.destinations.remove(id)
        self.accounting.release(destination.charge)
    }

    /// Whether a destination is there for sessions of a process.
    func isShown(_ destination: StoredDestination, to process: ProcessKey?) -> Bool {
        !destination.isOwnProcess || self.peers[destination.peer]?.process == process
    }

    /// The destination of a name, if a session can be directed there.
    func findDestination(_ name: String, for id: SessionID) -> DestinationID? {
        guard let session = self.sessions[id], let found = self.destinationNames[name],
            let destination = self.destinations[found]
        else { return nil }
        let process = self.peers[session.source]?.process
        guard self.isShown(destination, to: process) else { return nil }
        return !session.isRestricted || self.peers[destination.peer]?.process == process ? found : nil
    }

    /// The names of destinations, for an error; nil if there are none.
    var destinationList: String? {
        // Destinations for their own process alone are left out. Only as many names are looked at as an error has room for:
        // a source that repeatedly moves to a missing destination must not make the broker sort all names each time.
        var names: [String] = []
        for (name, id) in self.destinationNames where self.destinations[id]?.isOwnProcess == false {
            guard names.count < WireLimits.errorDetail / 32 else { break }
            names.append(name)
        }
        return names.isEmpty ? nil : names.sorted().joined(separator: "\n")
    }

    // MARK: Frames of a destination

    /// A frame on the stream that a session has at a destination, other than its cancel.
    mutating func fromVisited(
        _ kind: FrameKind,
        stream: UInt64,
        _ payload: Span<UInt8>,
        from peer: PeerID
    ) throws(Failure) {
        guard let id = try self.openVisit(stream, of: peer), let visit = self.visits[id] else { return }
        switch kind {
        case .proposal:
            try self.proposed(try Proposal(decoding: payload), id, visit, from: peer)
        case .exit:
            // That is an answer to whatever it was asked.
            self.visits.update(id) {
                $0.owed = nil
                $0.isLate = false
                $0.isInside = false
            }
            guard self.sessions[visit.session]?.hover?.visit == id else { return }
            self.lose(visit.session, Failure(.refused, "destination \(self.name(of: visit)) has let the session go"))
        case .progress:
            self.reported(id, try Progress(decoding: payload))
        case .performed:
            let performed = try Performed(decoding: payload)
            self.performed(id, items: performed.items, failure: performed.failure)
        case .conclude:
            let conclude = try Conclude(decoding: payload)
            self.concluded(id, items: conclude.items, failure: conclude.failure)
        default:
            throw Failure(.protocolViolation, "\(kind) does not fit the session on stream \(stream)")
        }
    }

    /// The visit that a peer speaks of; nil if it is over.
    private func openVisit(_ stream: UInt64, of peer: PeerID) throws(Failure) -> VisitID? {
        guard let id = VisitID(stream: stream), self.visits.hasIssued(id) else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        guard let visit = self.visits[id] else { return nil }
        guard visit.isOpen, self.destinations[visit.destination]?.peer == peer else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
        return id
    }

    /// A destination's end of a session's stream.
    mutating func cancelVisit(stream: UInt64, of peer: PeerID) throws(Failure) {
        guard let id = try self.openVisit(stream, of: peer), let visit = self.visits[id] else { return }
        self.visits.update(id) { $0.toldVersion = 0 }
        let text = "destination \(self.name(of: visit)) has cancelled the drop"
        self.leave(id, Failure(self.sessions[visit.session]?.drop == nil ? .refused : .cancelled, text))
    }

    /// The session is at the destination no more, whose stream is over or goes with its connection.
    private mutating func leave(_ id: VisitID, _ failure: Failure) {
        guard let visit = self.visits[id], let session = self.sessions[visit.session] else { return }
        self.visits.update(id) { $0.isInside = false }
        self.sessions.update(visit.session) { $0.visits[visit.destination] = nil }
        self.endVisit(id, nil)
        if session.drop?.visit == id {
            self.endLoads(of: session.publication, failure)
            return self.finish(visit.session, failure: failure)
        }
        if session.hover?.visit == id { self.lose(visit.session, failure) }
    }

    /// Nobody wants what is being loaded of a drop. The source is told of the drop's end when it has nothing to give any
    /// more.
    mutating func endLoads(of publication: PublicationID, _ failure: Failure) {
        self.publications.update(publication) { $0.session = nil }
        self.failAll(failure) { $0.publication == publication && $0.filling == nil }
    }

    /// A destination takes a session upon itself.
    mutating func enter(stream: UInt64, _ payload: Span<UInt8>, from peer: PeerID) throws(Failure) {
        guard stream & 1 == 1 else { return try self.fromVisited(.enter, stream: stream, payload, from: peer) }
        guard let open = self.peers[peer]?.streams[stream] else { return try self.checkIsLate(stream, of: peer) }
        guard case .destination(let id) = open, let destination = self.destinations[id] else {
            throw Failure(.protocolViolation, "enter on stream \(stream), which is no destination")
        }
        let enter = try Enter(decoding: payload)
        do throws(Failure) {
            let handle = PublicationID(rawValue: enter.handle ?? 0)
            guard let session = self.publications[handle]?.session, let state = self.sessions[session],
                state.phase == .tracking, !state.isLifting,
                self.isShown(destination, to: self.peers[state.source]?.process),
                !state.isRestricted || self.peers[state.source]?.process == self.peers[peer]?.process
            else { throw Failure(.superseded, "there is no such session under way") }
            // Its source hears of each: a destination must not fill what that has to read.
            guard state.uninvited < 64 + (self.now - state.startedAt) / 1_000 else {
                throw Failure(.limitExceeded, "the session was entered too often without its source's doing")
            }
            self.sessions.update(session) { $0.uninvited += 1 }
            if let hover = state.hover, self.visits[hover.visit]?.destination != id {
                throw Failure(.refused, "the session is over another destination")
            }
            if let visit = state.visits[id] { self.visits.update(visit) { $0.declinedVersion = nil } }
            let visit = try self.visit(of: session, to: id, for: self.peers[peer]?.account)
            self.sessions.update(session) { $0.isDirected = false }
            var location = enter.location ?? Location()
            location.destination = destination.name
            self.hover(session, over: visit, location)
        } catch {
            var exit = Exit()
            exit.refusal = error
            self.outbox.send(exit, to: peer, stream: stream)
        }
    }

    // MARK: Visits

    /// The session's visit to a destination, for which there is a place.
    ///
    /// - Parameter account: who has caused it; nil: its source.
    mutating func visit(
        of id: SessionID,
        to destinationID: DestinationID,
        for account: Accounting.AccountID? = nil
    ) throws(Failure) -> VisitID {
        guard let session = self.sessions[id], let destination = self.destinations[destinationID],
            let viewer = self.peers[destination.peer]?.viewer, let publication = self.publications[session.publication]
        else { throw Failure(.nothingHere, "the session or the destination has ended") }
        let visitID: VisitID
        if let known = session.visits[destinationID] {
            visitID = known
        } else {
            let charge = try self.accounting.charge(
                account ?? publication.charge.account,
                Accounting.Amount(objects: 1),
                for: "a session at one more destination"
            )
            visitID = self.visits.insert(Visit(session: id, destination: destinationID, charge: charge))
            self.sessions.update(id) { $0.visits[destinationID] = visitID }
            self.destinations.update(destinationID) { $0.visits.insert(visitID) }
        }
        guard let visit = self.visits[visitID] else { return visitID }
        if !visit.isWanted {
            // Each item is looked at once.
            let isWanted = publication.items[visit.checkedItems...].contains { item in
                item.representations.contains {
                    viewer.sees($0.visibility, of: publication.writer) && destination.accepts.take($0)
                }
            }
            self.visits.update(visitID) {
                $0.isWanted = isWanted
                $0.checkedItems = publication.items.count
            }
            guard isWanted else {
                let types = destination.types.joined(separator: ", ").printable
                throw Failure(
                    .typeUnavailable,
                    "destination \(destination.name) takes none of the items: it takes "
                        + (types.isEmpty ? "what it may see" : types)
                )
            }
        }
        if destination.visits.contains(where: { self.visits[$0]?.isLate == true }) {
            throw Failure(.timeout, "destination \(destination.name) does not answer")
        }
        guard destination.occupants.contains(visitID) || destination.occupants.count < destination.capacity else {
            throw Failure(
                .refused,
                "destination \(destination.name) has another session; try again when that has ended"
            )
        }
        return visitID
    }

    /// Ends a visit: its stream, if it is open, with an `exit` first if the session is inside.
    mutating func endVisit(_ id: VisitID, _ failure: Failure?) {
        guard let visit = self.visits.remove(id) else { return }
        if visit.isOpen, let peer = self.destinations[visit.destination]?.peer {
            if visit.isInside { self.outbox.send(Exit(), to: peer, stream: id.stream) }
            if let failure {
                self.outbox.send(failure, to: peer, stream: id.stream)
            } else {
                self.outbox.send(End(), to: peer, stream: id.stream)
            }
        }
        self.destinations.update(visit.destination) {
            $0.visits.remove(id)
            $0.occupants.remove(id)
        }
        self.accounting.release(visit.charge)
    }

    func name(of visit: Visit) -> String { self.destinations[visit.destination]?.name ?? "" }
}
