import PasteboardWire
import Testing

@testable import BrokerState

extension StateHarness {
    func brokenInvariants() -> [String] { self.state.brokenInvariants() }
    var hasFills: Bool { self.state.hasFills }
}

extension BrokerState {
    /// What holds between any two inputs; says what does not.
    func brokenInvariants() -> [String] {
        var broken: [String] = []
        func check(_ holds: Bool, _ what: @autoclosure () -> String) {
            if !holds { broken.append(what()) }
        }
        let routes = self.routes.ids.compactMap { id in self.routes[id].map { (id: id, route: $0) } }
        for (id, route) in routes {
            check(route.delivered <= route.received, "\(id): delivered beyond received")
            check(route.received <= route.granted, "\(id): received beyond granted")
            check(route.granted <= route.credit, "\(id): granted beyond the destination's credit")
            check(route.granted <= route.delivered + Window.largest, "\(id): granted beyond the window")
            if let kept = route.filling {
                check(self.kept[kept]?.fill?.route == id, "\(id): fills nothing")
                check(route.received == route.delivered, "\(id): bytes of a fill are not stored")
                continue
            }
            check(self.peers[route.destination] != nil, "\(id): the destination is gone")
            let isOpen = route.phase != .ended
            let isListed = self.load(on: route.destinationStream, of: route.destination) == id
            check(isListed == isOpen, "\(id): ended, but its stream is open, or the other way round")
            let place = self.peers[route.destination]?.loads.firstIndex(of: id)
            check(place == (isOpen ? route.place : nil), "\(id): does not know its place")
            if isOpen {
                check(self.publications[route.publication] != nil, "\(id): the publication is gone")
                if case .peer(let source) = route.source {
                    check(self.peers[source] != nil, "\(id): the source is gone")
                    let waits = self.peers[source]?.waitingAsks.contains(id) ?? false
                    check(waits == (route.phase == .waiting), "\(id): waits in the wrong list")
                }
            } else {
                check(route.delivered < route.received || route.isPassing, "\(id): ended and delivered, but held")
            }
            if self.transferFree > 0, let deadline = self.deadline(of: route) {
                check(self.nextCheck <= max(deadline, self.now) + 20, "\(id): its deadline is before the next check")
            }
        }
        let passing = UInt64(routes.count(where: \.route.mayPass))
        check(self.passing == passing, "\(self.passing) descriptors are expected of \(passing) loads")
        check(self.passing <= self.limits.passedDescriptors, "\(self.passing) descriptors are too many")
        check(self.inTransfer == routes.reduce(0) { $0 + $1.route.outstanding }, "inTransfer is not what loads hold")
        broken += self.brokenFills(routes)
        broken += self.brokenPeers(routes.map(\.route)) + self.brokenContents(routes.map(\.route))
        return broken + self.brokenSessions(routes.map(\.route))
    }

    var hasFills: Bool { self.kept.ids.contains { self.kept[$0]?.fill != nil } }

    private func brokenFills(_ routes: [(id: RouteID, route: Route)]) -> [String] {
        var broken: [String] = []
        for id in self.kept.ids {
            guard let kept = self.kept[id] else { continue }
            if kept.charged < kept.count { broken.append("\(id): \(kept.count) bytes, \(kept.charged) charged") }
            guard let fill = kept.fill else { continue }
            guard let route = self.routes[fill.route] else {
                broken.append("\(id): nobody is asked for it")
                continue
            }
            if route.received != kept.count {
                broken.append("\(id): \(kept.count) of \(route.received) bytes are kept")
            }
            let representation =
                self.publications[route.publication]?.items[Int(route.item)].representations[Int(route.representation)]
            if representation?.filling != id { broken.append("\(id): its representation knows nothing of it") }
            let joined = routes.filter { other in
                guard case .kept(id) = other.route.source else { return false }
                return other.route.phase != .ended
            }
            if joined.isEmpty || fill.loads != joined.count {
                broken.append("\(id): counts \(fill.loads) of \(joined.count) loads")
            }
            if !Set(fill.joined).isSuperset(of: joined.map(\.id)) { broken.append("\(id): does not know a load") }
            if let deadline = self.deadline(of: route), self.nextCheck > max(deadline, self.now) + 20 {
                broken.append("\(id): its deadline is before the next check")
            }
        }
        return broken
    }

    private func brokenPeers(_ routes: [Route]) -> [String] {
        var broken: [String] = []
        for id in self.peers.ids {
            guard let peer = self.peers[id] else { continue }
            let loads = routes.filter { $0.destination == id }.count
            if peer.openLoads != loads { broken.append("\(id) counts \(peer.openLoads) loads of \(loads)") }
            let asked = routes.filter { route in
                guard case .peer(id) = route.source else { return false }
                return route.phase == .asked || route.phase == .flowing
            }
            if peer.openAsks != asked.count { broken.append("\(id) counts \(peer.openAsks) asks of \(asked.count)") }
            if peer.openAsks < peer.maximumAsks, !peer.waitingAsks.isEmpty { broken.append("\(id) could be asked") }
            let owned = self.publications.ids.filter { self.publications[$0]?.owner?.peer == id }.count
            if peer.publications != owned {
                broken.append("\(id) counts \(peer.publications) of \(owned) publications")
            }
            if self.accounting.accounts[peer.account] == nil { broken.append("\(id) has no account") }
            if let deadline = peer.backlog.deadline(after: self.limits.progress),
                self.nextCheck > max(deadline, self.now) + 20
            {
                broken.append("\(id): its deadline is before the next check")
            }
        }
        let queued = self.peers.ids.reduce(0) { $0 + (self.peers[$1]?.backlog.count ?? 0) }
        let charged = self.accounting.accounts.ids.reduce(0) { $0 + (self.accounting.accounts[$1]?.queued ?? 0) }
        if queued != self.accounting.queued || queued != charged || queued > self.limits.controlPool {
            broken.append("\(self.accounting.queued) bytes are queued, \(charged) charged, for \(queued)")
        }
        return broken
    }

    private func brokenContents(_ routes: [Route]) -> [String] {
        var broken: [String] = []
        var charges = routes.map(\.charge)
        var kept: [KeptID] = []
        for id in self.writes.ids {
            guard let write = self.writes[id] else { continue }
            charges.append(write.charge)
            kept += write.keptBytes
        }
        for id in self.publications.ids {
            guard let publication = self.publications[id] else { continue }
            charges.append(publication.charge)
            kept += publication.keptBytes
            let loads = routes.filter { $0.phase != .ended && $0.publication == id }.count
            if publication.openLoads != loads {
                broken.append("\(id) counts \(publication.openLoads) of \(loads) loads")
            }
            let boards = self.boards.values.filter { $0.publication == id }.count
            let sessions = self.sessions.sessionCount(of: id)
            if boards + sessions != (publication.isCurrent ? 1 : 0) {
                broken.append("\(id) is on \(boards) boards and of \(sessions) sessions")
            }
            if !publication.isCurrent, loads == 0 { broken.append("\(id) is held by nobody") }
        }
        if Set(kept) != Set(self.kept.ids) || Set(kept).count != kept.count {
            broken.append("kept bytes have no owner")
        }
        let bytes = self.kept.ids.reduce(0) { $0 + (self.kept[$1]?.charged ?? 0) }
        charges += self.sessions.charges
        let current = self.boards.values.count { $0.publication != nil }
        let expected = Accounting.Kept(boards: UInt64(current), representations: UInt64(kept.count), bytes: bytes)
        if self.accounting.kept != expected { broken.append("\(self.accounting.kept) is charged for \(expected)") }
        let accounts = self.accounting.accounts.ids.compactMap { self.accounting.accounts[$0]?.kept }
        let sum = Accounting.Kept(
            boards: accounts.reduce(0) { $0 + $1.boards },
            representations: accounts.reduce(0) { $0 + $1.representations },
            bytes: accounts.reduce(0) { $0 + $1.bytes }
        )
        if sum != expected { broken.append("accounts hold \(sum) of \(expected)") }
        let objects = charges.reduce(0) { $0 + $1.amount.objects }
        let metadata = charges.reduce(0) { $0 + $1.amount.metadata }
        if self.accounting.held != Accounting.Amount(objects: objects, metadata: metadata) {
            broken.append("\(self.accounting.held) is charged for \(objects) objects and \(metadata) bytes")
        }
        if UInt64(self.boards.count) > self.limits.boards { broken.append("there are \(self.boards.count) boards") }
        return broken
    }
}
