import PasteboardWire

// Proposals: the destination's answer, the broker's judgement of it, and the source's notification.
extension Sessions {
    mutating func proposed(
        _ proposal: Proposal,
        _ otherID: DestinationSessionID,
        _ contents: borrowing Contents,
        _ context: inout BrokerContext
    ) throws(Failure) {
        guard let other = destinationSessionTable.find(otherID),
            let destination = destinationTable.find(destinationSessionTable[other].destination)
        else { return }
        let sequence = proposal.sequence ?? 0
        guard sequence <= destinationSessionTable[other].lastQuestion else {
            throw Failure(.protocolViolation, "proposal \(sequence) answers nothing that was asked")
        }
        let declines = proposal.cannotHandle == true
        guard destinationSessionTable[other].phase.answer(sequence, declines: declines) else { return }
        announcements[destinationTable[destination].peer]?.answered()
        let id = destinationSessionTable[other].session
        guard let slot = sessionTable.find(id) else { return }
        let tracking = sessionTable[slot].phase.tracking.flatMap { $0.destinationSession == otherID ? $0 : nil }
        let question = tracking?.question(sequence)
        if declines {
            // The items of an older question are not known any more.
            if let question { destinationSessionTable[other].declinedVersion = question.version }
            destinationTable[destination].occupants.remove(otherID)
        }
        guard let tracking, let question else {
            // The answer is for an earlier location. The destination is asked about the current one now.
            if tracking != nil { ask(id, contents, &context) }
            return
        }
        sessionTable[slot].activeAt = context.now
        if declines {
            sessionTable[slot].phase.updateTracking { $0.answer(nil) }
            guard question.version == sessionTable[slot].version else { return ask(id, contents, &context) }
            return declined(id, at: tracking.location, &context)
        }
        let (operation, refusal) = judge(proposal, slot, destination)
        let decides = sessionTable[slot].phase.isAwaitingProposal
        sessionTable[slot].phase.updateTracking { $0.answer(operation) }
        reply(id, operation, of: proposal, to: question.pointerUpdate, refusal: refusal, &context)
        if tracking.needsQuestion {
            ask(id, contents, &context)
        } else if decides {
            drop(id, &context)
        }
    }

    /// The operation of a proposal, as far as the session allows it.
    private func judge(
        _ proposal: Proposal,
        _ slot: SlotTable<DragSession>.Slot,
        _ destination: SlotTable<StoredDestination>.Slot
    ) -> (operation: DropOperation, refusal: Failure?) {
        let operation = DropOperation(rawValue: proposal.operation ?? 0) ?? .cancel
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

    /// The destination takes none of these items, so that the session is over nothing.
    mutating func declined(_ id: SessionID, at location: Location, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        let departure = sessionTable[slot].phase.leave()
        if sessionTable[slot].isDirected { sessionTable[slot].declinedLocation = location }
        var proposal = Proposal()
        proposal.cannotHandle = true
        reply(id, .cancel, of: proposal, &context)
        if case .decides = departure { drop(id, &context) }
    }

    /// Notifies the source of the operation of a drop.
    func reply(
        _ id: SessionID,
        _ operation: DropOperation,
        of answer: Proposal = Proposal(),
        to pointerUpdate: UInt64? = nil,
        refusal: Failure? = nil,
        _ context: inout BrokerContext
    ) {
        guard let slot = sessionTable.find(id) else { return }
        var proposal = Proposal()
        proposal.sequence = pointerUpdate ?? sessionTable[slot].lastPointerUpdate
        proposal.operation = operation.rawValue
        proposal.isPrecise = answer.isPrecise
        proposal.prefersFullSizePreview = answer.prefersFullSizePreview
        proposal.cannotHandle = answer.cannotHandle
        proposal.refusal = refusal
        context.send(proposal, to: sessionTable[slot].source, stream: sessionTable[slot].stream)
    }

    /// The session has lost the destination that it was over. Its source is notified of the reason.
    mutating func lose(_ id: SessionID, _ failure: Failure, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        switch leave(id, &context) {
        case .nothing: return
        case .left(let tracking) where !tracking.isAwaiting:
            var exit = Exit()
            exit.refusal = failure
            context.send(exit, to: sessionTable[slot].source, stream: sessionTable[slot].stream)
        case .left: reply(id, .cancel, refusal: failure, &context)
        case .decides:
            reply(id, .cancel, refusal: failure, &context)
            drop(id, &context)
        }
    }

    func doesNotAnswer(_ other: DestinationSessionID, _ limits: BrokerLimits) -> Failure {
        let text = "destination \(destinationName(of: other)) has not answered within \(limits.proposal) ms"
        return Failure(.timeout, text)
    }

    /// No proposal has come in time: a drop would do nothing, and the destination has no other session until it answers.
    mutating func proposalIsLate(_ id: SessionID, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id), let tracking = sessionTable[slot].phase.tracking,
            let other = destinationSessionTable.find(tracking.destinationSession)
        else { return }
        if destinationSessionTable[other].phase.missDeadline() { sendExit(to: tracking.destinationSession, &context) }
        lose(id, doesNotAnswer(tracking.destinationSession, context.limits), &context)
    }
}
