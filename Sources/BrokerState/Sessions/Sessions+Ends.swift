import PasteboardWire

// The ends of sessions and destination sessions. Reasons and results are reported by the callers.
extension Sessions {
    /// Ends a session for all but its source, which has been notified. The streams of its destination sessions end,
    /// each once.
    ///
    /// - Parameter failure: the error for the destinations; nil for the ordinary end.
    mutating func end(_ id: SessionID, _ failure: Failure? = nil, _ context: inout BrokerContext) {
        guard let session = sessionTable.remove(id) else { return }
        context.accounting.release(of: .sessions, for: session.account)
        for destinationSession in session.destinationSessions.values.sorted(by: { $0.slot < $1.slot }) {
            endDestinationSession(destinationSession, failure, &context)
        }
        let closed = ClosedStream(peer: session.source, stream: session.stream, publication: session.publication)
        closedStreams.append(closed)
    }

    /// Ends a session for both sides with an error. Loads that have begun continue.
    mutating func abort(_ id: SessionID, _ failure: Failure, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        sessionTable[slot].send(failure, &context)
        end(id, failure, &context)
    }

    /// Ends all sessions, or those that are not dropped, because the broker shuts down.
    mutating func abortAll(exceptDropped: Bool, _ failure: Failure, _ context: inout BrokerContext) {
        for id in sessionTable.ids {
            guard let slot = sessionTable.find(id), !exceptDropped || sessionTable[slot].phase.drop == nil else {
                continue
            }
            abort(id, failure, &context)
        }
    }

    // MARK: Destination sessions

    /// Ends a destination session: its stream, if that is open, with an `exit` first if the pointer is inside.
    mutating func endDestinationSession(
        _ id: DestinationSessionID,
        _ failure: Failure?,
        sendsExit: Bool = true,
        _ context: inout BrokerContext
    ) {
        guard let destinationSession = destinationSessionTable.find(id) else { return }
        if destinationSessionTable[destinationSession].phase.isOpen, let peer = peer(of: id) {
            if sendsExit, destinationSessionTable[destinationSession].phase.isInside {
                context.send(Exit(), to: peer, stream: id.stream)
            }
            if let failure {
                context.send(failure, to: peer, stream: id.stream)
            } else {
                context.send(End(), to: peer, stream: id.stream)
            }
        }
        removeDestinationSession(id, &context)
    }

    mutating func removeDestinationSession(_ id: DestinationSessionID, _ context: inout BrokerContext) {
        guard let destinationSession = destinationSessionTable.remove(id) else { return }
        if let slot = sessionTable.find(destinationSession.session) {
            sessionTable[slot].destinationSessions[destinationSession.destination] = nil
        }
        if let slot = destinationTable.find(destinationSession.destination) {
            destinationTable[slot].sessions.remove(id)
            destinationTable[slot].occupants.remove(id)
        }
        context.release(destinationSession.charge)
    }

    // MARK: Deadlines

    /// Makes sure that the session is checked at its deadline.
    func checkDeadline(of id: SessionID, _ context: inout BrokerContext) {
        guard let slot = sessionTable.find(id) else { return }
        context.check(by: sessionTable[slot].deadline(context.limits))
    }
}
