import PasteboardWire

// The deadlines of drag sessions. Before the drop, a session is limited in total time. After the drop, it may take any
// time as long as its bytes flow or its destination reports progress.
extension Sessions {
    /// The first session after `cursor` whose deadline has passed. The caller calls ``expire(_:in:)`` and then this
    /// again.
    func nextOverdue(after cursor: inout Slot?, _ context: inout BrokerContext) -> SessionID? {
        while let slot = sessionTable.advance(&cursor) {
            let deadline = sessionTable[slot].deadline(context.limits)
            if deadline <= context.now { return sessionTable.id(of: slot) }
            context.check(by: deadline)
        }
        return nil
    }

    /// The publication of a dropped session that has running loads.
    func publicationInTransfer(_ id: SessionID) -> PublicationID? {
        guard let slot = sessionTable.find(id), sessionTable[slot].phase.drop?.openLoads ?? 0 > 0 else { return nil }
        return sessionTable[slot].publication
    }

    /// Records the time of the last byte of a session's loads. It is updated only when the drop seems to have exceeded
    /// a limit, because updating it at every byte would be too expensive.
    mutating func bytesFlowed(_ id: SessionID, at time: UInt64) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].phase.updateDrop { $0.bytesFlowed(at: time) }
    }

    /// Ends the session or the wait for a proposal that has exceeded its deadline, unless the deadline was extended.
    mutating func expire(_ id: SessionID, in world: inout World) -> SessionOutcome {
        guard let slot = sessionTable.find(id), sessionTable[slot].deadline(world.context.limits) <= world.context.now
        else { return .continues }
        let limits = world.context.limits
        switch sessionTable[slot].phase {
        case .dropping(let drop):
            if let failure = standstill(of: drop, world.context) { return giveUp(slot, drop, failure, isCopied: false) }
            let text =
                "destination \(destinationName(of: drop.destinationSession)) has begun no load within "
                + "\(limits.dropWindow) ms of the drop (limit drop-window)"
            finish(id, Failure(.timeout, text), in: &world)
        case .transferring(let drop, _):
            if let failure = standstill(of: drop, world.context) {
                return giveUp(slot, drop, failure, isCopied: drop.isCopied)
            }
            let text =
                "destination \(destinationName(of: drop.destinationSession)) has not confirmed within \(limits.conclude) ms "
                + "of its last load that it has the items (limit conclude)"
            return giveUp(slot, drop, Failure(.timeout, text), isCopied: drop.isCopied)
        case .offered, .tracking:
            if sessionTable[slot].startedAt.addingClamped(limits.session) <= world.context.now {
                let text = "the session took longer than \(limits.session) ms without a drop (limit session)"
                abort(id, Failure(.timeout, text), &world.context)
            } else if let tracking = sessionTable[slot].phase.tracking {
                lose(id, doesNotAnswer(tracking.destinationSession, limits), &world.context)
            }
        }
        return .continues
    }

    /// The error of a drop in which nothing has flowed for the limit `session`.
    private func standstill(of drop: SessionDrop, _ context: borrowing BrokerContext) -> Failure? {
        guard drop.flowedAt.addingClamped(context.limits.session) <= context.now else { return nil }
        let text =
            "nothing was transferred for \(context.limits.session) ms, and destination "
            + "\(destinationName(of: drop.destinationSession)) has reported no progress (limit session)"
        return Failure(.timeout, text)
    }

    /// Ends a drop that has exceeded a limit.
    ///
    /// - Parameter isCopied: whether the drop is a copy whose handler and loads have all ended. Such a drop counts as
    ///   complete in spite of the limit.
    private func giveUp(_ slot: Slot, _ drop: SessionDrop, _ failure: Failure, isCopied: Bool) -> SessionOutcome {
        let (session, publication) = (sessionTable.id(of: slot), sessionTable[slot].publication)
        let failed = isCopied ? nil : failure
        return .endsLoads(EndedDrop(session: session, publication: publication, cause: failure, failure: failed))
    }
}
