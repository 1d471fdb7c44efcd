import PasteboardWire

@testable import BrokerState

extension BrokerState {
    /// The rules among watches, boards and streams that are broken after an input.
    func brokenWatches() -> [String] {
        var broken = BrokenConditions()
        broken.add(watches.brokenConditions(world.context))
        for id in watches.watchTable.ids {
            guard let slot = watches.watchTable.find(id) else { continue }
            let (peer, stream) = (watches.watchTable[slot].peer, watches.watchTable[slot].stream)
            let target = peers.find(peer).flatMap { peers.knownTarget(of: stream, at: $0) }
            if case .watch(id)? = target { continue }
            broken.check(false, "\(id): its stream is closed")
        }
        for id in watches.watchedTable.ids {
            guard let slot = watches.watchedTable.find(id) else { continue }
            let name = watches.watchedTable[slot].name
            guard name != Watches.allBoards else {
                let total = BoardCount(changeCount: boards.totalChangeCount, epoch: world.context.epoch)
                let isCurrent = watches.watchedTable[slot].state == BoardState(count: total)
                broken.check(isCurrent, "all boards are watched in a state that they left")
                continue
            }
            guard name != Watches.destinations else {
                let isCurrent = watches.watchedTable[slot].state == destinationsState
                broken.check(isCurrent, "the destinations are watched in a state that they left")
                continue
            }
            let version = boards.publication(on: name).map { world.contents.version(of: $0) } ?? 0
            let state = BoardState(count: boards.count(of: name), version: version)
            broken.check(watches.watchedTable[slot].state == state, "board \(name) is watched in a state that it left")
        }
        broken.add(brokenWatchesOfAllBoards())
        var created = 0
        for id in peers.ids {
            for case .board(let name) in peers.targets(at: id) {
                created += 1
                broken.check(boards.isCreated(name), "board \(name) was removed, but its stream is open")
            }
        }
        broken.check(
            created == boards.createdCount,
            "\(boards.createdCount) boards are created, with \(created) streams"
        )
        return broken.all
    }

    /// Each watch of all boards will report the last change of every board that has changed since its last report.
    private func brokenWatchesOfAllBoards() -> [String] {
        var broken = BrokenConditions()
        var reported: [UInt64] = []
        for id in watches.watchTable.ids {
            guard let slot = watches.watchTable.find(id),
                let board = watches.watchedTable.find(watches.watchTable[slot].board),
                watches.watchedTable[board].name == Watches.allBoards
            else { continue }
            reported.append(watches.watchTable[slot].reported.count.changeCount)
        }
        guard let first = reported.min() else {
            broken.check(watches.changedBoards == nil, "changes are noted for no watch of all boards")
            return broken.all
        }
        for (name, total, _) in boards.changed(after: first) {
            let isNoted = watches.changedBoards?[name]?.total == total
            broken.check(isNoted, "the last change of board \(name) is not noted for the watches of all boards")
        }
        return broken.all
    }

    var createdBoardCharges: [Charge] {
        peers.ids.flatMap { id in
            peers.targets(at: id).compactMap { target in
                if case .board(let name) = target { boards.creator(of: name)?.charge } else { nil }
            }
        }
    }
}

extension Watches {
    var charges: [Charge] {
        watchTable.ids.compactMap { id in watchTable.find(id).map { watchTable[$0].charge } }
    }

    func brokenConditions(_ context: borrowing BrokerContext) -> [String] {
        var broken = BrokenConditions()
        var sendable: [PeerID: Int] = [:]
        var (atBoards, atPeers) = (0, 0)
        for id in watchTable.ids {
            guard let slot = watchTable.find(id) else { continue }
            let peer = watchTable[slot].peer
            if watchTable[slot].isSendable { sendable[peer, default: 0] += 1 }
            broken.check(watchTable[slot].sent <= watchTable[slot].granted, "\(id) has sent more than its credit")
            guard let board = watchedTable.find(watchTable[slot].board) else {
                broken.check(false, "\(id) has no board")
                continue
            }
            let index = watchTable[slot].indexAtBoard
            let isListed = index < watchedTable[board].watches.count && watchedTable[board].watches[index] == id
            broken.check(isListed, "\(id) is not in the list of its board")
            guard watchTable[slot].reported != watchedTable[board].state, !watchTable[slot].isDue else { continue }
            if case .quiet = watchedTable[board].phase, !watchedTable[board].isSettling {
                broken.check(false, "\(id) will never be sent the newest state")
            }
        }
        for id in watchedTable.ids {
            guard let slot = watchedTable.find(id) else { continue }
            atBoards += watchedTable[slot].watches.count
            if watchedTable[slot].isSettling {
                let isChecked = isSettling && context.nextCheck <= max(settlesAt, context.now) + 20
                broken.check(isChecked, "nobody will end the wait of \(id) for contents that come back")
            }
            guard case .waiting = watchedTable[slot].phase else { continue }
            let isChecked = context.nextCheck <= max(watchedTable[slot].nextRound, context.now) + 20
            broken.check(isChecked, "the next round of \(id) is before the next check")
        }
        for id in watcherTable.ids {
            guard let slot = watcherTable.find(id) else { continue }
            atPeers += watcherTable[slot].watches.count
            let peer = PeerID(slot: id.slot, generation: id.generation)
            broken.check(watcherTable[slot].sendable == sendable[peer] ?? 0, "\(id) miscounts what it has to send")
            broken.check(
                watcherTable[slot].sendable == 0 || watcherTable[slot].isListed,
                "\(id) has changes that nobody will send"
            )
        }
        broken.check(atBoards == count && atPeers == count, "\(count) watches, \(atBoards), \(atPeers)")
        return broken.all
    }
}
