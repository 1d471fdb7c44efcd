import PasteboardWire

extension Loads {
    /// Adds the numbers of a peer's loads.
    func describe(_ peer: PeerID, in status: inout PeerStatus) {
        guard let peerLoads = peerLoads(of: peer) else { return }
        status.loads = UInt32(clamping: peerLoadsTable[peerLoads].openLoads)
        status.asks = UInt32(clamping: peerLoadsTable[peerLoads].places.loadCount)
        guard status.isLink == true else { return }
        status.sentBytes = peerLoadsTable[peerLoads].sentBytes
        status.receivedBytes = peerLoadsTable[peerLoads].receivedBytes
    }

    /// The load after another one, which may have ended; the first one after nil.
    func next(after slot: Slot?) -> Slot? { loadTable.next(after: slot) }

    /// The status of a load; nil if it is over, or if `access` does not show its representation.
    func status(of slot: Slot, for access: AccessContext, in world: borrowing World) -> LoadStatus? {
        let (part, publication) = (loadTable[slot].part, loadTable[slot].publication)
        guard !loadTable[slot].phase.isDelivering,
            let type = world.contents.visibleType(of: part, in: publication, to: access)
        else { return nil }
        var status = LoadStatus()
        status.type = type
        if case .peer(let source) = loadTable[slot].source { status.source = process(of: source) }
        if case .destination(let peer, _) = loadTable[slot].receiver { status.destination = process(of: peer) }
        // The size of concealed contents is not shown.
        let isConcealed = world.contents.find(publication).map { world.contents.isConcealed($0) } ?? false
        status.byteCount = isConcealed ? nil : loadTable[slot].window.received
        status.milliseconds = world.context.now - loadTable[slot].startedAt
        return status
    }

    private func process(of peer: PeerID) -> UInt32? {
        guard let peerLoads = peerLoads(of: peer) else { return nil }
        return peerLoadsTable[peerLoads].process.pid
    }
}
