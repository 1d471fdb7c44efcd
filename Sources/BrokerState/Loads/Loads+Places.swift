import PasteboardWire

// Places at a source. A source is asked for a limited number of loads at once. While a process waits for a place,
// others keep at most their shares, and each load of others has to make progress at a minimum rate. Without that, one
// process could hold every place with a few bytes now and then.
extension Loads {
    private typealias PeerLoadsID = SlotTable<PeerLoads>.ID

    /// Ends loads that keep other processes from a place at their source. It is called now and then while loads wait.
    mutating func checkPlaces(in world: inout World) {
        let places = contendedPlaces()
        guard !places.isEmpty else {
            if !placeProgress.isEmpty { placeProgress = [:] }
            return
        }
        world.context.check(in: max(1, world.context.limits.progress / 10))
        checkProgress(places, in: &world)
        for source in places.keys.sorted(by: { $0.slot < $1.slot }) {
            endExcess(at: source, places[source] ?? [], in: &world)
        }
    }

    /// The loads that have a place, for each source that others wait for.
    private func contendedPlaces() -> [PeerLoadsID: [LoadID]] {
        var places: [PeerLoadsID: [LoadID]] = [:]
        var peer: PeerSlot?
        while let slot = peerLoadsTable.advance(&peer) {
            if !peerLoadsTable[slot].queue.isEmpty { places[peerLoadsTable.id(of: slot)] = [] }
        }
        guard !places.isEmpty else { return [:] }
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) {
            guard loadTable[slot].phase.hasPlace, let source = source(of: slot) else { continue }
            places[peerLoadsTable.id(of: source)]?.append(loadTable.id(of: slot))
        }
        return places
    }

    // MARK: Progress

    private mutating func checkProgress(_ places: [PeerLoadsID: [LoadID]], in world: inout World) {
        let before = placeProgress
        placeProgress = [:]
        var late: [(load: LoadID, cause: LoadFailure)] = []
        for (source, loads) in places {
            guard let peer = peerLoadsTable.find(source) else { continue }
            for id in loads {
                guard let slot = loadTable.find(id),
                    peerLoadsTable[peer].queue.hasOthers(than: loadTable[slot].charge.account)
                else { continue }
                let current = loadTable[slot].progress(at: world.context.now)
                guard let last = before[id], current.received < last.received.addingClamped(PlaceProgress.least) else {
                    placeProgress[id] = current
                    continue
                }
                let deadline = last.start.addingClamped(world.context.limits.progress)
                if deadline > world.context.now {
                    placeProgress[id] = last
                    world.context.check(by: deadline)
                } else if let cause = loadTable[slot].slowness(since: last) {
                    late.append((id, cause))
                } else {
                    placeProgress[id] = current
                }
            }
        }
        for (id, cause) in late.sorted(by: { $0.load.slot < $1.load.slot }) {
            guard let slot = loadTable.find(id) else { continue }
            fail(slot, cause, notifiesSource: true, in: &world)
        }
    }

    // MARK: Shares

    /// The places of one process at a source.
    private struct Holder {
        let account: Accounting.AccountID
        var loads: [LoadID]
    }

    /// Ends loads of processes that hold more than their share of the places, as many as processes wait for that hold
    /// less.
    private mutating func endExcess(at source: PeerLoadsID, _ loads: [LoadID], in world: inout World) {
        guard let peer = peerLoadsTable.find(source) else { return }
        var holders: [Holder] = []
        for id in loads {
            guard let slot = loadTable.find(id), loadTable[slot].phase.hasPlace else { continue }
            let account = loadTable[slot].charge.account
            if let index = holders.firstIndex(where: { $0.account == account }) {
                holders[index].loads.append(id)
            } else {
                holders.append(Holder(account: account, loads: [id]))
            }
        }
        let waiting = peerLoadsTable[peer].queue.waiting
        let places = peerLoadsTable[peer].maximumAsks
        let newcomers = waiting.count { line in !holders.contains { $0.account == line.account } }
        let processes = holders.count + newcomers
        let share = max(1, (places + processes - 1) / max(1, processes))
        for line in waiting {
            let held = holders.first { $0.account == line.account }?.loads.count ?? 0
            let hasWaited = isLongWaiting(line.first, world.context)
            for _ in 0..<max(0, min(line.count, share - held)) {
                guard let index = holders.indices.max(by: { holders[$0].loads.count < holders[$1].loads.count }),
                    holders[index].loads.count > share,
                    let load = excess(among: holders[index].loads, orSlowest: hasWaited, world.context)
                else { return }
                holders[index].loads.removeAll { $0 == load }
                guard let slot = loadTable.find(load) else { continue }
                fail(slot, .overShare(places: places), notifiesSource: true, in: &world)
            }
        }
    }

    private func isLongWaiting(_ load: LoadID, _ context: borrowing BrokerContext) -> Bool {
        guard let slot = loadTable.find(load) else { return false }
        return loadTable[slot].startedAt.addingClamped(context.limits.progress) <= context.now
    }

    /// The newest load that has waited for its own destination's credit for a while; otherwise the slowest, if a place
    /// was needed for the time of the limit `progress`.
    private func excess(among loads: [LoadID], orSlowest: Bool, _ context: borrowing BrokerContext) -> LoadID? {
        var newest: (load: LoadID, startedAt: UInt64)?
        var slowest: (load: LoadID, bytes: UInt64)?
        // A destination that reads everything at once still has no credit for moments.
        let pause = context.limits.progress / 10
        for id in loads {
            guard let slot = loadTable.find(id) else { continue }
            let startedAt = loadTable[slot].startedAt
            if loadTable[slot].window.isUsedUp, !loadTable[slot].isCaching,
                loadTable[slot].byteAt.addingClamped(pause) <= context.now, startedAt >= newest?.startedAt ?? 0
            {
                newest = (id, startedAt)
            }
            let bytes = loadTable[slot].window.received - (placeProgress[id]?.received ?? 0)
            if bytes <= slowest?.bytes ?? .max { slowest = (id, bytes) }
        }
        return newest?.load ?? (orSlowest ? slowest?.load : nil)
    }
}
