import PasteboardWire
import Testing

@testable import BrokerState

extension BrokerState {
    /// The rules that drag sessions, destination sessions and destinations break between two inputs.
    func brokenSessions(_ routes: [Route]) -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        for id in self.sessions.ids {
            guard let session = self.sessions[id] else { continue }
            let name = "session \(id.slot)"
            let publication = self.publications[session.publication]
            check(publication?.session == id, "\(name): its items do not know it")
            check(publication?.owner?.peer == session.source, "\(name): its items are another's")
            if case .drag(id)? = self.peers[session.source]?.streams[session.stream] {
            } else {
                broken.append("\(name): its stream is closed")
            }
            for (destination, other) in session.destinationSessions {
                check(self.destinationSessions[other]?.session == id, "\(name): a destination session is not its own")
                check(
                    self.destinationSessions[other]?.destination == destination,
                    "\(name): a destination session is elsewhere"
                )
            }
            let others = Set(session.destinationSessions.values)
            if let tracking = session.phase.tracking {
                check(others.contains(tracking.destinationSession), "\(name) is over no destination of its own")
            }
            if let drop = session.phase.drop {
                check(others == [drop.destinationSession], "\(name) was dropped and has other destinations")
                let open = routes.count {
                    $0.publication == session.publication && $0.phase != .ended && $0.filling == nil
                }
                check(drop.openLoads == open, "\(name) counts \(drop.openLoads) of \(open) loads")
                let count = publication?.items.count ?? 0
                let items = drop.requested.map(\.item) + drop.taken
                check(items.allSatisfy { Int($0) < count }, "\(name) was asked for items that it does not have")
                check(drop.arrived.isSubset(of: drop.requested), "\(name): what was not requested has arrived")
                if case .transferring(_, .concluded) = session.phase {
                    check(drop.openLoads > 0, "\(name) waits for nothing")
                }
            }
            if case .awaitingProposal(let tracking) = session.phase {
                check(tracking.isAwaiting, "\(name) is dropped and waits for nothing")
            }
            let deadline = session.deadline(self.limits)
            check(self.nextCheck <= max(deadline, self.now) + 20, "\(name): its deadline is before the next check")
        }
        return broken + self.brokenDestinationSessions()
    }

    private func brokenDestinationSessions() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        for id in self.destinationSessions.ids {
            guard let other = self.destinationSessions[id] else { continue }
            let name = "destination session \(id.slot)"
            let session = self.sessions[other.session]
            check(session?.destinationSessions[other.destination] == id, "\(name): its session does not know it")
            let destination = self.destinations[other.destination]
            check(destination?.sessions.contains(id) == true, "\(name): its destination does not know it")
            let pending = other.phase.pending.sequence
            check(pending == nil || pending == other.lastQuestion, "\(name) owes an older answer")
            check((other.announced.version > 0) == other.phase.isOpen, "\(name) is announced and not open, or not")
            if other.phase.isInside {
                check(!other.phase.isLate, "\(name) is inside and late")
                check(session?.phase.tracking?.destinationSession == id, "\(name) is inside, its session elsewhere")
                check(destination?.occupants.contains(id) == true, "\(name) is inside and does not occupy")
            }
            let isDropped = session?.phase.drop?.destinationSession == id
            check((other.phase == .performing) == isDropped, "\(name) performs without a drop, or not")
        }
        for id in self.destinations.ids {
            guard let destination = self.destinations[id] else { continue }
            let name = "destination \(destination.name)"
            check(self.destinationNames[destination.name] == id, "\(name) is not found by its name")
            if case .destination(id)? = self.peers[destination.peer]?.streams[destination.stream] {
            } else {
                broken.append("\(name): its stream is closed")
            }
            check(
                destination.sessions.allSatisfy { self.destinationSessions.holds($0) },
                "\(name) has sessions that are over"
            )
            check(
                destination.occupants.isSubset(of: destination.sessions),
                "\(name) is occupied by none of its sessions"
            )
            check(destination.occupants.count <= destination.capacity, "\(name) is full and more")
        }
        check(self.destinationNames.count == self.destinations.count, "names of destinations that are gone")
        return broken
    }
}
