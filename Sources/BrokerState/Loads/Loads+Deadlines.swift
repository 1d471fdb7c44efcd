import PasteboardWire

// Deadlines are checked lazily: nothing is armed for a load. `BrokerContext.nextCheck` is never later than the first
// deadline; then all are checked, and the next time is found.
extension Loads {
    /// Updates what depends on the loads that wait for a source. It is called before `nextLate`.
    mutating func beginDeadlines(_ context: inout BrokerContext) {
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) { updateTurn(slot, &context) }
    }

    /// Ends the first load after `cursor` that is late. The caller handles the events and calls again. False if none
    /// is late.
    mutating func endLate(after cursor: inout Slot?, in world: inout World) -> Bool {
        while let slot = loadTable.advance(&cursor) {
            guard let deadline = deadline(of: slot, world.context) else { continue }
            guard deadline <= world.context.now else {
                world.context.check(by: deadline)
                continue
            }
            fail(slot, lateness(of: slot, world.context), notifiesSource: true, in: &world)
            return true
        }
        return false
    }

    /// The time at which the load ends if nothing happens; nil while it waits for its destination alone.
    func deadline(of slot: Slot, _ context: borrowing BrokerContext) -> UInt64? {
        let phase = loadTable[slot].phase
        if phase.isDelivering || phase.isPassing { return nil }
        let servedAt = source(of: slot).map { peerLoadsTable[$0].servedAt }
        let own = loadTable[slot].deadline(servedAt: servedAt, context.limits)
        guard let turn = loadTable[slot].turn, loadTable[slot].slowness(since: turn) != nil else { return own }
        return min(own ?? .max, turn.start.addingClamped(context.limits.progress))
    }

    /// Starts and ends the periods in which a load has to make progress, because others wait for its place. Its last
    /// byte extends their deadlines.
    private mutating func updateTurn(_ slot: Slot, _ context: inout BrokerContext) {
        let last = exchange(&loadTable[slot].turn, with: nil)
        guard loadTable[slot].phase.hasPlace, let source = source(of: slot), peerLoadsTable[source].places.isAwaited
        else { return }
        context.check(in: max(1, context.limits.progress / 10))
        let byteAt = loadTable[slot].byteAt
        if loadTable[slot].window.received > 0 {
            peerLoadsTable[source].servedAt = max(peerLoadsTable[source].servedAt, byteAt)
        }
        let isContended = peerLoadsTable[source].places.areAwaited(byOthersThan: loadTable[slot].charge.account)
        let isBlocked = loadTable[slot].window.isUsedUp
        // A load that blocks only its own process may take any time if bytes flow now and then. Before the first byte
        // the source's own deadline applies.
        guard isBlocked || (isContended && loadTable[slot].phase.isFlowing) else { return }
        let start = isBlocked ? max(byteAt, peerLoadsTable[source].places.since) : context.now
        var turn = (isContended ? last : nil) ?? loadTable[slot].turn(from: start)
        let isOver = turn.start.addingClamped(context.limits.progress) <= context.now
        if loadTable[slot].hasProgressed(since: turn) || (isOver && loadTable[slot].slowness(since: turn) == nil) {
            turn = loadTable[slot].turn(from: context.now)
        }
        loadTable[slot].turn = turn
        context.check(by: turn.start.addingClamped(context.limits.progress))
    }

    private func lateness(of slot: Slot, _ context: borrowing BrokerContext) -> LoadFailure {
        let (startedAt, received) = (loadTable[slot].startedAt, loadTable[slot].window.received)
        if let endsBy = loadTable[slot].endsBy, endsBy <= context.now {
            return .late(allowed: endsBy - startedAt, received: received)
        }
        if let turn = loadTable[slot].turn, turn.start.addingClamped(context.limits.progress) <= context.now,
            let cause = loadTable[slot].slowness(since: turn)
        {
            return cause
        }
        switch loadTable[slot].phase {
        case .queued: return .sourceBusy(since: startedAt)
        case .asked(let asked): return .sourceSilent(since: asked.at)
        case .flowing, .passing, .delivering: return .sourceStalled(received: received)
        }
    }
}
