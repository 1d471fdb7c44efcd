import PasteboardWire

// The bytes that the driver holds for peers: reported by the driver, charged to processes, bounded by a pool.
extension Peers {
    /// - Parameters:
    ///   - isHeldUp: whether there is so much to read that new requests wait. Fewer bytes may stay unread for any time,
    ///     for example while a program is stopped in a debugger: only the pool bounds them.
    ///   - hasRead: whether the peer has read some since the last report.
    mutating func setUnread(
        _ count: Int,
        of id: PeerID,
        isHeldUp: Bool,
        hasRead: Bool,
        _ context: inout BrokerContext
    ) {
        guard let slot = find(id) else { return }
        let before = peerTable[slot].backlog.count
        peerTable[slot].backlog.setUnread(count, isHeldUp: isHeldUp, hasRead: hasRead, at: context.now)
        charge(slot, insteadOf: before, &context)
    }

    mutating func setPartial(_ count: Int, of id: PeerID, _ context: inout BrokerContext) {
        guard let slot = find(id) else { return }
        let before = peerTable[slot].backlog.count
        peerTable[slot].backlog.setPartial(count, at: context.now)
        charge(slot, insteadOf: before, &context)
    }

    private func charge(_ slot: Slot, insteadOf before: UInt64, _ context: inout BrokerContext) {
        let backlog = peerTable[slot].backlog
        context.queue(backlog.count, insteadOf: before, for: peerTable[slot].account)
        if let deadline = backlog.deadline(after: context.limits.progress) { context.check(by: deadline) }
    }

    /// The peer to end while the pool is exceeded: in the process with the most queued bytes, the peer with the
    /// greatest backlog.
    func overfull(_ context: borrowing BrokerContext) -> (peer: PeerID, failure: Failure)? {
        guard context.accounting.isExceeded(.queued), let greatest = greatestBacklog(context) else { return nil }
        let failure = Failure(
            .limitExceeded,
            "limit control-pool is exceeded, and this process uses more of it than any other: it does not read its "
                + "frames, or sends incomplete frames"
        )
        return (greatest, failure)
    }

    private func greatestBacklog(_ context: borrowing BrokerContext) -> PeerID? {
        let account = context.accounting.mostQueued
        var greatest: (slot: Slot, count: UInt64)?
        var cursor: Slot?
        while let slot = peerTable.advance(&cursor) {
            let count = peerTable[slot].backlog.count
            guard peerTable[slot].account == account, greatest == nil || count > greatest?.count ?? 0 else { continue }
            greatest = (slot, count)
        }
        return greatest.map { peerTable.id(of: $0.slot) }
    }
}
