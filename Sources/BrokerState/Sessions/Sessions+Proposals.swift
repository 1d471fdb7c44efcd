import PasteboardWire

// Proposals: the destination's answer, the broker's judgement of it, and the source's notification.
extension Sessions {
    mutating func proposed(
        _ proposal: Proposal,
        _ destinationSessionID: DestinationSessionID,
        in world: inout World
    ) throws(Failure) {
        guard let destinationSession = destinationSessionTable.find(destinationSessionID),
            let destination = destinationTable.find(destinationSessionTable[destinationSession].destination)
        else { return }
        let sequence = proposal.sequence ?? 0
        guard sequence <= destinationSessionTable[destinationSession].lastQuestion else {
            throw Failure(.protocolViolation, "proposal \(sequence) has a number that the broker has not sent")
        }
        let declines = proposal.cannotHandle == true
        guard destinationSessionTable[destinationSession].phase.answered(sequence, declines: declines) else { return }
        announcements[destinationTable[destination].peer]?.answered()
        let id = destinationSessionTable[destinationSession].session
        guard let slot = sessionTable.find(id) else { return }
        let tracking = sessionTable[slot].phase.tracking.flatMap {
            $0.destinationSession == destinationSessionID ? $0 : nil
        }
        let question = tracking?.question(sequence)
        if declines {
            // The items of an older question are no longer known.
            if let question { destinationSessionTable[destinationSession].declinedVersion = question.version }
            destinationTable[destination].occupants.remove(destinationSessionID)
        }
        guard let tracking, let question else {
            // The answer is for an earlier location. The destination is asked about the current one now.
            if tracking != nil { ask(id, in: &world) }
            return
        }
        sessionTable[slot].activeAt = world.context.now
        if declines {
            sessionTable[slot].phase.updateTracking { $0.answered(nil) }
            guard question.version == sessionTable[slot].version else { return ask(id, in: &world) }
            return declined(id, at: tracking.location, &world.context)
        }
        let (operation, refusal) = judge(proposal, slot, destination)
        let decides = sessionTable[slot].phase.isAwaitingProposal
        sessionTable[slot].phase.updateTracking { $0.answered(operation) }
        reply(id, operation, of: proposal, to: question.pointerUpdate, refusal: refusal, &world.context)
        if tracking.needsQuestion {
            ask(id, in: &world)
        } else if decides {
            drop(id, &world.context)
        }
    }

    /// The operation of a proposal, or the refusal if the session does not allow the operation.
    private func judge(
        _ proposal: Proposal,
        _ slot: Slot,
        _ destination: DestinationSlot
    ) -> (operation: DropOperation, refusal: Failure?) {
        let operation = proposal.operation.flatMap { $0.isKnown ? $0 : nil } ?? .cancel
        guard operation == .move, !sessionTable[slot].allowsMove(by: destinationTable[destination].process) else {
            return (operation, nil)
        }
        let refusal = Failure(
            .notPermitted,
            "destination \(destinationTable[destination].name) would move the items, which the session does not allow"
                + (sessionTable[slot].allowsMove ? " between processes" : "")
        )
        return (.cancel, refusal)
    }
}
