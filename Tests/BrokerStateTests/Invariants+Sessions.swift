import PasteboardWire
import Testing

@testable import BrokerState

extension BrokerState {
    /// What holds of drag sessions, their visits and destinations between any two inputs.
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
            for (destination, visit) in session.visits {
                check(self.visits[visit]?.session == id, "\(name): a visit is not its own")
                check(self.visits[visit]?.destination == destination, "\(name): a visit is elsewhere")
            }
            let visits = Set(session.visits.values)
            check(session.hover.map { visits.contains($0.visit) } ?? true, "\(name) is over no visit of its own")
            check(session.hover == nil || session.phase == .tracking, "\(name) is \(session.phase) over something")
            let isDropped = session.phase == .dropping || session.phase == .transferring
            check((session.drop != nil) == isDropped, "\(name) is \(session.phase), with a drop or without")
            if let drop = session.drop {
                check(visits == [drop.visit], "\(name) was dropped and has other visits")
                let open = routes.count {
                    $0.publication == session.publication && $0.phase != .ended && $0.filling == nil
                }
                check(drop.openLoads == open, "\(name) counts \(drop.openLoads) of \(open) loads")
                let count = publication?.items.count ?? 0
                let items = drop.asked.map(\.item) + drop.taken
                check(items.allSatisfy { Int($0) < count }, "\(name) was asked for items that it does not have")
                check(drop.arrived.isSubset(of: drop.asked), "\(name): what was not asked for has arrived")
                check(
                    session.phase == .dropping || drop.openLoads > 0 || !drop.isConcluded,
                    "\(name) waits for nothing"
                )
            }
            if session.isLifting {
                check(session.hover?.isAwaiting == true || isDropped, "\(name) was let go and waits for nothing")
            }
            let deadline = self.deadline(of: session)
            check(self.nextCheck <= max(deadline, self.now) + 20, "\(name): its deadline is before the next check")
        }
        return broken + self.brokenVisits()
    }

    private func brokenVisits() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        for id in self.visits.ids {
            guard let visit = self.visits[id] else { continue }
            let name = "visit \(id.slot)"
            let session = self.sessions[visit.session]
            check(session?.visits[visit.destination] == id, "\(name): its session does not know it")
            let destination = self.destinations[visit.destination]
            check(destination?.visits.contains(id) == true, "\(name): its destination does not know it")
            check(visit.owed == nil || visit.owed == visit.sequence, "\(name) owes an older answer")
            check(!visit.isLate || visit.owed != nil, "\(name) is late with nothing")
            check(!visit.isInside || visit.isOpen, "\(name) is inside unannounced")
            check(!visit.isInside || session?.hover?.visit == id, "\(name) is inside, its session elsewhere")
            check(!visit.isInside || destination?.occupants.contains(id) == true, "\(name) is inside without a place")
        }
        for id in self.destinations.ids {
            guard let destination = self.destinations[id] else { continue }
            let name = "destination \(destination.name)"
            check(self.destinationNames[destination.name] == id, "\(name) is not found by its name")
            if case .destination(id)? = self.peers[destination.peer]?.streams[destination.stream] {
            } else {
                broken.append("\(name): its stream is closed")
            }
            check(destination.visits.allSatisfy { self.visits.holds($0) }, "\(name) has visits that are over")
            check(destination.occupants.isSubset(of: destination.visits), "\(name) is occupied by none of its visits")
            check(destination.occupants.count <= destination.capacity, "\(name) is full and more")
        }
        check(self.destinationNames.count == self.destinations.count, "names of destinations that are gone")
        return broken
    }
}
