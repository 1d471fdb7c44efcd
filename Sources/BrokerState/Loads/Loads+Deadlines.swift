import PasteboardWire

// Deadlines are checked lazily: nothing is armed for a load. `BrokerContext.nextCheck` is never later than the first
// deadline; then all are checked, and the next time is found.
extension Loads {
    /// A load that is late.
    enum Late {
        /// It has ended.
        case failed
        /// Its destination is to be disconnected, because only the end of the connection frees the bytes that wait for
        /// it.
        case blocked(by: PeerID, Failure)
    }

    /// Updates the times at which sources last served loads. It is called before `nextLate`.
    mutating func beginDeadlines(_ context: inout BrokerContext) {
        grantWaiting(&context)
        var cursor: Slot?
        while let slot = loadTable.advance(&cursor) { recordService(slot, &context) }
    }

    /// Ends the first load after `cursor` that is late. The caller handles the events and calls again.
    mutating func nextLate(after cursor: inout Slot?, in world: inout World) -> Late? {
        while let slot = loadTable.advance(&cursor) {
            guard let deadline = deadline(of: slot, world.context) else { continue }
            if deadline > world.context.now {
                world.context.check(by: deadline)
            } else if loadTable[slot].phase.isDelivering,
                case .destination(let peer, _) = loadTable[slot].receiver
            {
                let cause = LoadFailure.destinationStalled(isOthersSource: othersWait(for: slot) != nil)
                return .blocked(by: peer, cause.failure(from: sourceName(of: slot), world.context))
            } else {
                fail(slot, lateness(of: slot, world.context), notifiesSource: true, in: &world)
                // The bytes that the destination has not read are still held.
                world.context.check(in: world.context.limits.progress)
                return .failed
            }
        }
        return nil
    }

    /// The time at which the load ends if nothing happens; nil while it waits for its destination alone.
    func deadline(of slot: Slot, _ context: borrowing BrokerContext) -> UInt64? {
        let pressure = pressureDeadline(of: slot, context)
        let phase = loadTable[slot].phase
        if phase.isDelivering || phase.isPassing { return pressure }
        let servedAt = source(of: slot).map { peerLoadsTable[$0].servedAt }
        let own = loadTable[slot].deadline(servedAt: servedAt, context.limits)
        guard let own, let pressure else { return own ?? pressure }
        return min(own, pressure)
    }

    /// The time at which the load ends because its destination does not read; nil unless other loads of its process
    /// need its part of the transfer pool, or any its place at the source.
    private func pressureDeadline(of slot: Slot, _ context: borrowing BrokerContext) -> UInt64? {
        var since: UInt64?
        if !loadTable[slot].window.isDelivered, let awaited = roomIsAwaited(for: slot) {
            // The bytes of a connection are read in order, so those of one load may wait behind those of others.
            let readAt = destination(of: slot).map { peerLoadsTable[$0].readAt } ?? 0
            since = max(loadTable[slot].takenAt, awaited, readAt)
        }
        // A load that waits for room has another deadline, unless it blocks loads of other processes.
        if loadTable[slot].window.isUsedUp, let others = othersWait(for: slot),
            !loadTable[slot].isWaitingForRoom || otherProcessesWait(for: slot)
        {
            since = min(since ?? .max, max(loadTable[slot].byteAt, others))
        }
        return since?.addingClamped(context.limits.progress)
    }

    /// The time since which other loads have waited for the load's place at its source; nil if none do.
    private func othersWait(for slot: Slot) -> UInt64? {
        guard loadTable[slot].phase.hasPlace, let source = source(of: slot), !peerLoadsTable[source].queue.isEmpty
        else { return nil }
        return peerLoadsTable[source].queue.since
    }

    private func otherProcessesWait(for slot: Slot) -> Bool {
        let account = loadTable[slot].charge.account
        return source(of: slot).map { peerLoadsTable[$0].queue.hasOthers(than: account) } ?? false
    }

    /// Records the last byte of a load that has a place at its source while others wait: the byte extends their
    /// deadlines. From now on, the load's destination may block them.
    private mutating func recordService(_ slot: Slot, _ context: inout BrokerContext) {
        guard othersWait(for: slot) != nil, let source = source(of: slot) else { return }
        context.check(in: context.limits.progress)
        guard loadTable[slot].window.received > 0 else { return }
        peerLoadsTable[source].servedAt = max(peerLoadsTable[source].servedAt, loadTable[slot].byteAt)
    }

    private func lateness(of slot: Slot, _ context: borrowing BrokerContext) -> LoadFailure {
        let (startedAt, received) = (loadTable[slot].startedAt, loadTable[slot].window.received)
        if let endsBy = loadTable[slot].endsBy, endsBy <= context.now {
            return .late(allowed: endsBy - startedAt, received: received)
        }
        if loadTable[slot].isWaitingForRoom { return .noRoom }
        if let pressure = pressureDeadline(of: slot, context), pressure <= context.now {
            return .destinationStalled(isOthersSource: othersWait(for: slot) != nil)
        }
        switch loadTable[slot].phase {
        case .queued: return .sourceBusy(since: startedAt)
        case .asked(let asked): return .sourceSilent(since: asked.at)
        case .flowing, .passing, .delivering: return .sourceStalled(received: received)
        }
    }
}
