import PasteboardWire

@testable import BrokerState

extension StateHarness {
    package func brokenInvariants() -> [String] { state.brokenInvariants() + brokenSaving() }

    /// Contents with kept bytes are saved, unless they are sensitive, have a number of loads, or come from a link.
    private func brokenSaving() -> [String] {
        guard state.world.context.saving == .working else { return [] }
        var broken = BrokenConditions()
        let ids = state.boards.full.compactMap { state.boards.publication(on: $0) }
        for id in ids {
            guard let slot = state.world.contents.find(id) else { continue }
            let terms = state.world.contents[slot].terms
            let isBound = terms?.isConcealed == true || terms?.maximumLoads != nil
            let isKept = state.world.contents[slot].items.contains { $0.representations.contains { $0.kept != nil } }
            let isSaved = isKept && !isBound && !state.world.contents[slot].writer.isLink
            broken.check(isSaved == (saved[id] != nil), "\(id) is \(isSaved ? "not " : "")saved")
        }
        broken.check(Set(saved.keys).isSubset(of: ids), "contents are saved that are on no board")
        return broken.all
    }

    /// The change counts and epochs of the boards that have contents.
    package var boardCounts: [String: [UInt64]] {
        Dictionary(
            uniqueKeysWithValues: state.boards.full.map { name in
                (name, [state.boards.count(of: name).changeCount, state.boards.count(of: name).epoch])
            }
        )
    }

    package var hasCachedLoads: Bool { !state.loads.cachedLoads.isEmpty }
}

/// Descriptions of the broken conditions.
struct BrokenConditions {
    private(set) var all: [String] = []

    mutating func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { all.append(what()) }
    }

    mutating func add(_ others: [String]) { all += others }
}

// Conditions between several parts that must hold after each input. The conditions of one part are beside its tests.
extension BrokerState {
    func brokenInvariants() -> [String] {
        loads.brokenConditions(in: world) + brokenPeers() + brokenContents() + brokenTypes()
            + brokenSessions() + brokenWatches()
    }

    private func brokenPeers() -> [String] {
        var broken = BrokenConditions()
        for id in peers.ids {
            guard let slot = peers.find(id) else { continue }
            broken.check(loads.peerLoads(of: id) != nil, "\(id) has no list of loads")
            broken.check(world.context.accounting.accounts.holds(peers[slot].account), "\(id) has no account")
            guard let deadline = peers[slot].backlog.deadline(after: world.context.limits.progress) else { continue }
            broken.check(
                world.context.nextCheck <= max(deadline, world.context.now) + 20,
                "\(id): its deadline is before the next check"
            )
        }
        broken.check(loads.peerLoadsTable.count == peers.count, "lists of loads of peers that are gone")
        let queued = peers.ids.reduce(0) { sum, id in
            sum + (peers.find(id).map { peers[$0].backlog.count } ?? 0)
        }
        let charged = world.context.accounting.accounts.ids.reduce(0) { sum, id in
            sum + world.context.accounting.held(by: id, of: .queued)
        }
        var evictable: [Accounting.Resource: UInt64] = [.boards: 0, .keptRepresentations: 0, .keptBytes: 0]
        for id in world.context.accounting.accounts.ids {
            let isLiving = peers.ids.contains { peer in peers.find(peer).map { peers[$0].account == id } ?? false }
            guard let slot = world.context.accounting.accounts.find(id), !isLiving else { continue }
            let written = world.contents.publicationTable.ids.compactMap { world.contents.find($0) }
                .filter { world.contents[$0].charge.account == id }
            let loads = written.reduce(0) { $0 + world.contents[$1].openLoads }
            let counted = world.context.accounting.accounts[slot].orphanLoads
            broken.check(counted == loads, "\(id): \(counted) loads of what it left are counted of \(loads)")
            guard loads == 0 else { continue }
            for slot in written {
                broken.check(world.contents[slot].isCurrent, "\(id) left contents that are on no board")
                let isCharged =
                    world.contents[slot].boardName != BoardName.general
                    && !boards.isCreated(world.contents[slot].boardName)
                if isCharged { evictable[.boards, default: 0] += 1 }
                for kept in world.contents[slot].keptBytes {
                    evictable[.keptRepresentations, default: 0] += 1
                    evictable[.keptBytes, default: 0] +=
                        world.contents.keptTable.find(kept).map { world.contents.keptTable[$0].charged } ?? 0
                }
            }
        }
        for (resource, expected) in evictable {
            let found = world.context.accounting.evictable(of: resource)
            broken.check(found == expected, "\(found) \(resource) may be evicted, but \(expected) were left")
        }
        for (resource, expected) in [
            (Accounting.Resource.connections, peers.count), (.sessions, sessions.sessionCount),
            (.destinations, sessions.destinationCount), (.watches, watches.count),
        ] {
            let (total, sum) = (
                world.context.accounting.total(of: resource), world.context.accounting.sum(of: resource)
            )
            broken.check(total == UInt64(expected) && sum == total, "\(total), \(sum) of \(expected) \(resource)")
        }
        let sum = world.context.accounting.total(of: .queued)
        broken.check(
            queued == sum && queued == charged && queued <= world.context.limits.controlPool,
            "\(sum) bytes are queued, \(charged) charged, for \(queued)"
        )
        return broken.all
    }

    /// The number of lists that use each publication. While a peer has a report, the loop holds back its requests, but
    /// the fuzzer may begin several.
    private func listCounts() -> [PublicationID: Int] {
        var counts: [PublicationID: Int] = [:]
        for peer in peers.ids {
            for case .report(let report) in peers.targets(at: peer) {
                if case .items(let publication, _) = report.position { counts[publication, default: 0] += 1 }
            }
        }
        return counts
    }

    private func brokenTerms() -> [String] {
        var broken = BrokenConditions()
        var expiring: Set<PublicationID> = []
        for id in world.contents.publicationTable.ids {
            guard let slot = world.contents.find(id), let terms = world.contents[slot].terms else { continue }
            if world.contents[slot].isCurrent, let expiresAt = terms.expiresAt {
                expiring.insert(id)
                broken.check(world.context.nextExpiry <= expiresAt, "\(id): its expiry is before the next one")
                broken.check(expiresAt > world.context.elapsed, "\(id) has expired")
            }
            guard let maximum = terms.maximumLoads else { continue }
            for item in world.contents[slot].items.indices {
                let (left, running) = terms.loads(of: item)
                let counted = loads.countedLoads(of: item, in: id)
                broken.check(left <= maximum, "\(id): \(left) loads are left of \(maximum)")
                broken.check(running == counted, "\(id) counts \(running) of \(counted) running loads")
            }
            let isUsedUp = terms.isUsedUp(itemCount: world.contents[slot].items.count)
            broken.check(!isUsedUp || !world.contents[slot].isCurrent, "\(id) is used up")
        }
        broken.check(
            Set(world.contents.expiring) == expiring && world.contents.expiring.count == expiring.count,
            "\(world.contents.expiring.count) contents of \(expiring.count) expire"
        )
        return broken.all
    }

    private func brokenTypes() -> [String] {
        var broken = BrokenConditions()
        for id in world.contents.publicationTable.ids {
            guard let slot = world.contents.find(id) else { continue }
            broken.check(world.contents[slot].handle.value == id.rawValue, "\(id) has another handle")
            for representation in world.contents[slot].items.flatMap(\.representations) {
                let name = world.contents[slot].typeNames[representation.typeRange]
                let isSame = name.elementsEqual(representation.type.utf8)
                broken.check(isSame, "\(id): \(representation.type) has another name")
            }
        }
        return broken.all
    }

    private func brokenContents() -> [String] {
        var broken = BrokenConditions()
        let boards = self.boards.full.compactMap { self.boards.publication(on: $0) }
        let lists = listCounts()
        for id in world.contents.publicationTable.ids {
            guard let slot = world.contents.find(id) else { continue }
            let holders = boards.count { $0 == id } + sessions.sessionCount(of: id)
            broken.check(holders == (world.contents[slot].isCurrent ? 1 : 0), "\(id) has \(holders) holders")
            broken.check(
                world.contents[slot].openLoads == loads.openCount(of: id) + lists[id, default: 0],
                "\(id) counts \(world.contents[slot].openLoads) of \(loads.openCount(of: id)) loads and "
                    + "\(lists[id, default: 0]) lists"
            )
        }
        broken.add(brokenTerms())
        let named = self.boards.full.count { $0 != BoardName.general && !self.boards.isCreated($0) }
        broken.add(
            world.contents.brokenConditions(
                world.context,
                boards: named + self.boards.createdCount,
                charges: loads.charges + sessions.charges + watches.charges + createdBoardCharges
            )
        )
        broken.check(UInt64(self.boards.count) <= world.context.limits.boards, "there are \(self.boards.count) boards")
        return broken.all
    }
}
