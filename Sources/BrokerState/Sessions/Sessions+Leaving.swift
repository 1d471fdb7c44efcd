import PasteboardWire

// The ways in which a session loses its destination, and the notification of its source.
extension Sessions {
    /// Takes the pointer away from its destination, which is notified if it was notified that the pointer is there.
    @discardableResult
    mutating func leave(_ id: SessionID, _ context: inout BrokerContext) -> DragSessionPhase.Departure {
        guard let slot = sessionTable.find(id) else { return .nothing }
        let departure = sessionTable[slot].phase.leave()
        switch departure {
        case .nothing: break
        case .left(let tracking), .decides(let tracking):
            guard let destinationSession = destinationSessionTable.find(tracking.destinationSession) else { break }
            if destinationSessionTable[destinationSession].phase.leave() {
                sendExit(to: tracking.destinationSession, &context)
            }
        }
        return departure
    }

    func sendExit(to id: DestinationSessionID, _ context: inout BrokerContext) {
        guard let peer = peer(of: id) else { return }
        context.send(Exit(), to: peer, stream: id.stream)
    }

    /// The session has lost the destination that it was over. Its source is notified of the reason.
    mutating func lose(_ id: SessionID, _ failure: Failure, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        switch leave(id, &context) {
        case .nothing: return
        case .left(let tracking) where !tracking.isAwaiting:
            var exit = Exit()
            exit.refusal = failure
            sessionTable[slot].send(exit, &context)
        case .left: reply(id, .cancel, refusal: failure, &context)
        case .decides:
            reply(id, .cancel, refusal: failure, &context)
            drop(id, &context)
        }
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

    /// Sends the source a proposal: the operation of a drop at the current location.
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
        proposal.operation = operation
        proposal.isPrecise = answer.isPrecise
        proposal.prefersFullSizePreview = answer.prefersFullSizePreview
        proposal.cannotHandle = answer.cannotHandle
        proposal.refusal = refusal
        sessionTable[slot].send(proposal, &context)
    }
}
