import PasteboardWire

@testable import BrokerState

// The conditions that loads must meet after each input.
extension Loads {
    var ids: [LoadID] { loadTable.ids }

    var charges: [Charge] {
        loadTable.ids.compactMap { id in loadTable.find(id).map { loadTable[$0].charge } }
    }

    /// The number of loads that use a publication.
    func openCount(of publication: PublicationID) -> Int {
        slots.count { loadTable[$0].publication == publication && !loadTable[$0].phase.isDelivering }
    }

    /// The number of loads of a publication that have not ended for their destinations.
    func openReaders(of publication: PublicationID) -> Int {
        slots.count { slot in
            loadTable[slot].publication == publication && !loadTable[slot].phase.isDelivering
                && !loadTable[slot].isCaching
        }
    }

    private var slots: [Slot] { loadTable.ids.compactMap { loadTable.find($0) } }

    func brokenConditions(in world: borrowing World) -> [String] {
        var broken = BrokenConditions()
        for slot in slots { broken.add(brokenConditions(of: slot, in: world)) }
        let expected = UInt64(slots.count { loadTable[$0].expectsDescriptor })
        broken.check(
            expectedDescriptors == expected && expected <= world.context.limits.passedDescriptors,
            "\(expectedDescriptors) descriptors are expected of \(expected) loads"
        )
        let windows = slots.reduce(0) { $0 + (loadTable[$1].isCaching ? 0 : loadTable[$1].window.size) }
        let inTransfer = world.context.accounting.total(of: .transfer)
        broken.check(inTransfer == windows, "\(inTransfer) bytes are in transfer, but windows have \(windows)")
        broken.add(brokenEndpoints())
        for kept in cachedLoads.keys { broken.add(brokenConditions(of: kept, world.contents)) }
        return broken.all
    }

    private func brokenConditions(of slot: Slot, in world: borrowing World) -> [String] {
        var broken = BrokenConditions()
        let id = loadTable.id(of: slot)
        let (window, phase) = (loadTable[slot].window, loadTable[slot].phase)
        broken.check(window.delivered <= window.received, "\(id): delivered beyond received")
        broken.check(window.received <= window.granted, "\(id): received beyond granted")
        broken.check(window.granted <= window.credit, "\(id): granted beyond the destination's credit")
        broken.check(window.granted <= window.delivered + window.size, "\(id): granted beyond the window")
        broken.check(window.size <= CreditWindow.largest, "\(id): its window is too large")
        let allowed = min(window.credit, loadTable[slot].available)
        broken.check(
            !phase.hasPlace || window.granted > window.delivered || window.granted == allowed,
            "\(id): stands still"
        )
        let deadline = deadline(of: slot, world.context)
        if let deadline {
            broken.check(
                world.context.nextCheck <= max(deadline, world.context.now) + 20,
                "\(id): its deadline is before the next check"
            )
        }
        switch loadTable[slot].receiver {
        case .cache(let kept):
            broken.check(cachedLoads[kept]?.request == id, "\(id): is no request of a cached load")
            broken.check(window.isDelivered, "\(id): bytes of a cached load are not stored")
        case .destination(let peer, let stream):
            broken.check(peerLoads(of: peer) != nil, "\(id): the destination is gone")
            broken.check(
                (load(on: stream, of: peer) == slot) == !phase.isDelivering,
                "\(id): ended, but its stream is open, or the other way round"
            )
            let newest = peerLoads(of: peer).map { peerLoadsTable[$0].newest }
            let newer = loadTable.find(loadTable[slot].newer)
            let older = loadTable.find(loadTable[slot].older)
            broken.check(
                phase.isDelivering || newer.map { loadTable[$0].older == id } ?? (newest == id),
                "\(id): its newer neighbour does not refer to it"
            )
            broken.check(
                phase.isDelivering || older.map { loadTable[$0].newer == id } ?? (loadTable[slot].older == .none),
                "\(id): its older neighbour does not refer to it"
            )
        }
        if case .delivering(let rest) = phase {
            broken.check(!window.isDelivered || rest == .descriptor, "\(id): ended and delivered, but held")
            return broken.all
        }
        broken.check(world.contents.find(loadTable[slot].publication) != nil, "\(id): the publication is gone")
        if case .peer(let source) = loadTable[slot].source, let peerLoads = peerLoads(of: source) {
            // The ask of a cached load waits for its first reader.
            let waits = peerLoadsTable[peerLoads].places.contains(id)
            broken.check(waits == phase.isQueued, "\(id): waits in the wrong list")
        } else if case .peer = loadTable[slot].source {
            broken.check(false, "\(id): the source is gone")
        }
        return broken.all
    }

    private func brokenEndpoints() -> [String] {
        var broken = BrokenConditions()
        for id in peerLoadsTable.ids {
            guard let slot = peerLoadsTable.find(id) else { continue }
            let peer = PeerID(slot: id.slot, generation: id.generation)
            let wanted = slots.count { if case .destination(peer, _) = loadTable[$0].receiver { true } else { false } }
            let openLoads = peerLoadsTable[slot].openLoads
            broken.check(openLoads == wanted, "\(peer) counts \(openLoads) loads of \(wanted)")
            let asked = slots.count { load in
                guard case .peer(peer) = loadTable[load].source else { return false }
                return loadTable[load].phase.hasPlace
            }
            var places = peerLoadsTable[slot].places
            broken.check(places.taken == asked, "\(peer) counts \(places.taken) places of \(asked)")
            broken.check(places.next() == nil, "\(peer) could be asked")
        }
        return broken.all
    }

    private func brokenConditions(of kept: KeptID, _ contents: borrowing ContentStore) -> [String] {
        var broken = BrokenConditions()
        guard let cached = cachedLoads[kept], let slot = loadTable.find(cached.request),
            let bytes = contents.kept(kept)
        else { return ["\(kept): nobody is asked for it"] }
        let received = loadTable[slot].window.received
        broken.check(received == bytes.count, "\(kept): \(bytes.count) of \(received) bytes are kept")
        broken.check(!bytes.isWhole, "\(kept): is whole and is being filled")
        let publication = contents.find(loadTable[slot].publication)
        broken.check(
            publication.map { contents[$0].representation(loadTable[slot].part).cached } == kept,
            "\(kept): its representation knows nothing of it"
        )
        let readers = slots.filter { reader in
            guard case .kept(kept) = loadTable[reader].source else { return false }
            return !loadTable[reader].phase.isDelivering
        }
        broken.check(
            !readers.isEmpty && cached.openReaders == readers.count,
            "\(kept): counts \(cached.openReaders) of \(readers.count) readers"
        )
        broken.check(
            Set(cached.readers).isSuperset(of: readers.map { loadTable.id(of: $0) }),
            "\(kept): does not know a reader"
        )
        return broken.all
    }
}

extension Loads {
    /// The loads of an item that have taken a turn and may give it back.
    func countedLoads(of item: Int, in publication: PublicationID) -> Int {
        loadTable.ids.count { id in
            guard let slot = loadTable.find(id) else { return false }
            return loadTable[slot].isCounted && loadTable[slot].publication == publication
                && Int(loadTable[slot].part.item) == item
        }
    }
}
