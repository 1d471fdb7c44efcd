import PasteboardWire

@testable import BrokerState

extension BrokerState {
    /// The rules, among drag sessions and with other parts, that are broken after an input.
    func brokenSessions() -> [String] {
        var broken = sessions.brokenRules(world.context)
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        for id in sessions.sessionTable.ids {
            guard let slot = sessions.sessionTable.find(id) else { continue }
            let name = "session \(id.slot)"
            let (source, stream) = (sessions.sessionTable[slot].source, sessions.sessionTable[slot].stream)
            let publicationID = sessions.sessionTable[slot].publication
            let publication = world.contents.find(publicationID)
            check(publication.map { world.contents[$0].session } == id, "\(name): its items do not know it")
            check(publication.map { world.contents[$0].owner?.peer } == source, "\(name): its items are another's")
            if case .drag(id)? = target(of: stream, at: source) {
            } else {
                broken.append("\(name): its stream is closed")
            }
            guard let drop = sessions.sessionTable[slot].phase.drop else { continue }
            let open = loads.openReaders(of: publicationID)
            check(drop.openLoads == open, "\(name) counts \(drop.openLoads) of \(open) loads")
            let count = publication.map { world.contents[$0].items.count } ?? 0
            let items = drop.requested.map(\.item) + drop.taken
            check(items.allSatisfy { Int($0) < count }, "\(name) was asked for items that it does not have")
        }
        for id in sessions.destinationTable.ids {
            guard let slot = sessions.destinationTable.find(id) else { continue }
            let (peer, stream) = (sessions.destinationTable[slot].peer, sessions.destinationTable[slot].stream)
            if case .destination(id)? = target(of: stream, at: peer) {
            } else {
                broken.append("destination \(sessions.destinationTable[slot].name): its stream is closed")
            }
        }
        for peer in sessions.announcements.keys {
            check(peers.holds(peer), "announcements to a peer that has gone")
            let unread = peers.find(peer).map { peers[$0].backlog.unread }
            check(sessions.announcements[peer]?.unread == unread, "announcements do not know what is unread")
        }
        return broken
    }

    private func target(of stream: UInt64, at peer: PeerID) -> StreamTarget? {
        guard let slot = peers.find(peer) else { return nil }
        return peers.knownTarget(of: stream, at: slot)
    }
}

extension Sessions {
    /// The charges of everything that the sessions hold.
    var charges: [Charge] {
        var charges: [Charge] = []
        for id in destinationSessionTable.ids {
            if let slot = destinationSessionTable.find(id) { charges.append(destinationSessionTable[slot].charge) }
        }
        for id in destinationTable.ids {
            if let slot = destinationTable.find(id) { charges.append(destinationTable[slot].charge) }
        }
        return charges
    }

    /// The number of sessions that use a publication.
    func sessionCount(of publication: PublicationID) -> Int {
        sessionTable.ids.count { id in
            sessionTable.find(id).map { sessionTable[$0].publication == publication } ?? false
        }
    }

    /// The rules that are broken after an input.
    func brokenRules(_ context: borrowing BrokerContext) -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        let (limits, now, nextCheck) = (context.limits, context.now, context.nextCheck)
        for id in sessionTable.ids {
            guard let slot = sessionTable.find(id) else { continue }
            let name = "session \(id.slot)"
            let phase = sessionTable[slot].phase
            for (destination, other) in sessionTable[slot].destinationSessions {
                let other = destinationSessionTable.find(other)
                check(
                    other.map { destinationSessionTable[$0].session } == id,
                    "\(name): a destination session is not its own"
                )
                check(
                    other.map { destinationSessionTable[$0].destination } == destination,
                    "\(name): a destination session is elsewhere"
                )
            }
            let others = Set(sessionTable[slot].destinationSessions.values)
            if let tracking = phase.tracking {
                check(others.contains(tracking.destinationSession), "\(name) is over no destination of its own")
            }
            if let drop = phase.drop {
                check(others == [drop.destinationSession], "\(name) was dropped and has other destinations")
                check(drop.arrived.isSubset(of: drop.requested), "\(name): what was not requested has arrived")
                if case .transferring(_, .concluded) = phase { check(drop.openLoads > 0, "\(name) waits for nothing") }
            }
            let deadline = sessionTable[slot].deadline(limits)
            check(nextCheck <= max(deadline, now) + 20, "\(name): its deadline is before the next check")
        }
        for id in destinationSessionTable.ids {
            guard let slot = destinationSessionTable.find(id) else { continue }
            let name = "destination session \(id.slot)"
            let phase = destinationSessionTable[slot].phase
            let session = sessionTable.find(destinationSessionTable[slot].session)
            let destinationID = destinationSessionTable[slot].destination
            check(
                session.flatMap { sessionTable[$0].destinationSessions[destinationID] } == id,
                "\(name): its session does not know it"
            )
            let destination = destinationTable.find(destinationID)
            let isKnown = destination.map { destinationTable[$0].sessions.contains(id) }
            check(isKnown == true, "\(name): its destination does not know it")
            let pending = phase.pending
            check(
                pending == nil || pending == destinationSessionTable[slot].lastQuestion,
                "\(name) owes an older answer"
            )
            let isAnnounced = destinationSessionTable[slot].announced.version > 0
            check(isAnnounced == phase.isOpen, "\(name) is announced and not open, or not")
            if phase.isInside {
                let tracking = session.flatMap { sessionTable[$0].phase.tracking }
                check(tracking?.destinationSession == id, "\(name) is inside, its session elsewhere")
                check(
                    (pending != nil) == (tracking?.awaitedSince != nil),
                    "\(name): its source waits for no answer, or not"
                )
                let occupies = destination.map { destinationTable[$0].occupants.contains(id) }
                check(occupies == true, "\(name) is inside and does not occupy")
            }
            let dropped = session.flatMap { sessionTable[$0].phase.drop?.destinationSession }
            check((phase == .performing) == (dropped == id), "\(name) performs without a drop, or not")
        }
        for id in destinationTable.ids {
            guard let slot = destinationTable.find(id) else { continue }
            let name = "destination \(destinationTable[slot].name)"
            let (sessions, occupants) = (destinationTable[slot].sessions, destinationTable[slot].occupants)
            check(destinationNames[destinationTable[slot].name] == id, "\(name) is not found by its name")
            check(sessions.allSatisfy { destinationSessionTable.holds($0) }, "\(name) has sessions that are over")
            check(occupants.isSubset(of: sessions), "\(name) is occupied by none of its sessions")
            check(occupants.count <= destinationTable[slot].capacity, "\(name) is full and more")
            check(announcements[destinationTable[slot].peer] != nil, "\(name): its announcements are not counted")
        }
        check(destinationNames.count == destinationTable.count, "names of destinations that are gone")
        check(closedStreams.isEmpty, "closed streams that nobody has taken")
        return broken
    }
}
