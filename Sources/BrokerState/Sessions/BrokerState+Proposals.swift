import PasteboardWire

// Proposals: the destination's answer, the broker's judgement of it, and the source's notification.
extension BrokerState {
    mutating func proposed(_ proposal: Proposal, _ id: DestinationSessionID, from peer: PeerID) throws(Failure) {
        guard let other = destinationSessions[id] else { return }
        let sequence = proposal.sequence ?? 0
        guard sequence <= other.lastQuestion else {
            throw Failure(.protocolViolation, "proposal \(sequence) answers nothing that was asked")
        }
        let declines = proposal.cannotHandle == true
        var isAnswer = false
        destinationSessions.update(id) { isAnswer = $0.phase.answer(sequence, declines: declines) }
        guard isAnswer else { return }
        peers.update(peer) { $0.announced = 0 }
        guard let session = sessions[other.session] else { return }
        let tracking = session.phase.tracking.flatMap { $0.destinationSession == id ? $0 : nil }
        let question = tracking?.question(sequence)
        if declines {
            // The items of an older question are not known any more.
            if let question { destinationSessions.update(id) { $0.declinedVersion = question.version } }
            destinations.update(other.destination) { $0.occupants.remove(id) }
        }
        guard let tracking, let question else {
            // The answer is for an earlier location. The destination is asked about the current one now.
            if tracking != nil { ask(other.session) }
            return
        }
        var operation: DropOperation?
        var refusal: Failure?
        if !declines {
            operation = DropOperation(rawValue: proposal.operation ?? 0) ?? .cancel
            if operation == .move, let process = peers[peer]?.process, !session.allowsMove(by: process) {
                operation = .cancel
                refusal = Failure(
                    .notPermitted,
                    "destination \(name(of: other)) would move the items, which the session does not allow"
                        + (session.allowsMove ? " between processes" : "")
                )
            }
        }
        sessions.update(other.session) { [now] in
            $0.activeAt = now
            $0.phase.updateTracking { $0.answer(operation) }
        }
        guard let operation else {
            if question.version == session.version { return declined(other.session, at: tracking.location) }
            return ask(other.session)
        }
        reply(other.session, operation, of: proposal, to: question.pointerUpdate, refusal: refusal)
        if tracking.needsQuestion {
            ask(other.session)
        } else if session.phase.isAwaitingProposal {
            drop(other.session)
        }
    }

    /// The destination takes none of these items, so that the session is over nothing.
    mutating func declined(_ id: SessionID, at location: Location) {
        var departure = DragSessionPhase.Departure.nothing
        sessions.update(id) {
            departure = $0.phase.leave()
            if $0.isDirected { $0.declinedLocation = location }
        }
        var proposal = Proposal()
        proposal.cannotHandle = true
        reply(id, .cancel, of: proposal)
        if case .decides = departure { drop(id) }
    }

    /// Notifies the source of the operation of a drop.
    mutating func reply(
        _ id: SessionID,
        _ operation: DropOperation,
        of answer: Proposal = Proposal(),
        to pointerUpdate: UInt64? = nil,
        refusal: Failure? = nil
    ) {
        guard let session = sessions[id] else { return }
        var proposal = Proposal()
        proposal.sequence = pointerUpdate ?? session.lastPointerUpdate
        proposal.operation = operation.rawValue
        proposal.isPrecise = answer.isPrecise
        proposal.prefersFullSizePreview = answer.prefersFullSizePreview
        proposal.cannotHandle = answer.cannotHandle
        proposal.refusal = refusal
        outbox.send(proposal, to: session.source, stream: session.stream)
    }

    /// The session has lost the destination that it was over. Its source is notified of the reason.
    mutating func lose(_ id: SessionID, _ failure: Failure) {
        guard let session = sessions[id] else { return }
        switch leave(id) {
        case .nothing: return
        case .left(let tracking) where !tracking.isAwaiting:
            var exit = Exit()
            exit.refusal = failure
            outbox.send(exit, to: session.source, stream: session.stream)
        case .left: reply(id, .cancel, refusal: failure)
        case .decides:
            reply(id, .cancel, refusal: failure)
            drop(id)
        }
    }

    func doesNotAnswer(_ other: DestinationSession) -> Failure {
        Failure(.timeout, "destination \(name(of: other)) has not answered within \(limits.proposal) ms")
    }

    /// No proposal has come in time: a drop would do nothing, and the destination has no other session until it answers.
    mutating func proposalIsLate(_ id: SessionID) {
        guard let tracking = sessions[id]?.phase.tracking, let other = destinationSessions[tracking.destinationSession]
        else { return }
        var isNotified = false
        destinationSessions.update(tracking.destinationSession) { isNotified = $0.phase.missDeadline() }
        if isNotified { sendExit(to: tracking.destinationSession) }
        lose(id, doesNotAnswer(other))
    }
}
