import PasteboardWire

extension Loads {
    /// Adds the numbers of a peer's loads.
    func describe(_ peer: PeerID, in status: inout PeerStatus) {
        guard let peerLoads = peerLoads(of: peer) else { return }
        status.loads = UInt32(clamping: peerLoadsTable[peerLoads].openLoads)
        status.asks = UInt32(clamping: peerLoadsTable[peerLoads].openAsks + peerLoadsTable[peerLoads].queue.count)
    }

    /// The loads that are not over, of representations that the peer's access context shows.
    func statusEntries(
        for access: AccessContext,
        _ contents: borrowing ContentStore,
        _ context: borrowing BrokerContext
    ) -> [StatusEntry] {
        var entries: [StatusEntry] = []
        var cursor: Slot?
        while let slot = loadTable.next(after: cursor) {
            cursor = slot
            let (part, publication) = (loadTable[slot].part, loadTable[slot].publication)
            guard !loadTable[slot].phase.isDelivering,
                let type = contents.visibleType(of: part, in: publication, to: access)
            else { continue }
            var status = LoadStatus()
            status.type = type
            if case .peer(let source) = loadTable[slot].source { status.source = process(of: source) }
            if case .destination(let peer, _) = loadTable[slot].receiver { status.destination = process(of: peer) }
            status.byteCount = loadTable[slot].window.received
            status.milliseconds = context.now - loadTable[slot].startedAt
            var entry = StatusEntry()
            entry.load = status
            entries.append(entry)
        }
        return entries
    }

    private func process(of peer: PeerID) -> UInt32? {
        guard let peerLoads = peerLoads(of: peer) else { return nil }
        return peerLoadsTable[peerLoads].process.pid
    }
}
