import PasteboardWire

// The deadlines of drag sessions. Before the drop, a session is limited in total time and in time without an event. After
// the drop, it may take any time as long as its bytes flow or its destination reports progress.
extension BrokerState {
    mutating func checkSessions() {
        for id in sessions.ids {
            guard let session = sessions[id] else { continue }
            if session.deadline(limits) <= now { expire(id) }
            // The session may have another deadline now.
            checkDeadline(of: id)
        }
    }

    /// Makes sure that the session is checked when its first deadline has come.
    mutating func checkDeadline(of id: SessionID) {
        if let session = sessions[id] { check(by: session.deadline(limits)) }
    }

    private mutating func expire(_ id: SessionID) {
        noteFlow(of: id)
        guard let session = sessions[id], session.deadline(limits) <= now else { return }
        switch session.phase {
        case .dropping(let drop):
            guard drop.flowedAt.addingClamped(limits.session) > now else { return standsStill(id, drop) }
            let text =
                "destination \(name(of: drop)) has begun no load within \(limits.dropWindow) ms of the drop "
                + "(limit drop-window)"
            finish(id, failure: Failure(.timeout, text))
        case .transferring(let drop, _):
            guard drop.flowedAt.addingClamped(limits.session) > now else { return standsStill(id, drop) }
            let text =
                "destination \(name(of: drop)) has not confirmed within \(limits.conclude) ms of its last load that it has "
                + "the items (limit conclude)"
            giveUp(id, drop, Failure(.timeout, text))
        case .offered, .tracking, .awaitingProposal:
            if session.startedAt.addingClamped(limits.session) <= now {
                let text = "the session took longer than \(limits.session) ms without a drop (limit session)"
                return abort(id, Failure(.timeout, text))
            }
            if session.waits == 0, session.activeAt.addingClamped(limits.sessionIdle) <= now {
                let text = "nothing happened to the session for \(limits.sessionIdle) ms (limit session-idle)"
                return abort(id, Failure(.timeout, text))
            }
            proposalIsLate(id)
        }
    }

    private mutating func standsStill(_ id: SessionID, _ drop: SessionDrop) {
        let text =
            "nothing was transferred for \(limits.session) ms, and destination \(name(of: drop)) has reported no progress "
            + "(limit session)"
        giveUp(id, drop, Failure(.timeout, text))
    }

    private func name(of drop: SessionDrop) -> String {
        destinationSessions[drop.destinationSession].map { name(of: $0) } ?? ""
    }

    /// Ends a drop that has exceeded a limit. A copy is complete nevertheless if its handler and all its loads have ended.
    private mutating func giveUp(_ id: SessionID, _ drop: SessionDrop, _ failure: Failure) {
        guard let session = sessions[id] else { return }
        var isCopied = false
        if case .transferring = session.phase { isCopied = drop.isCopied }
        endLoads(of: session.publication, failure)
        finish(id, failure: isCopied ? nil : failure)
    }

    /// Brings the time of the drop's last byte up to date. This is done only when the drop seems to have exceeded a limit,
    /// because doing it at every byte would be too expensive.
    private mutating func noteFlow(of id: SessionID) {
        guard let session = sessions[id], session.phase.drop?.openLoads ?? 0 > 0 else { return }
        for route in routes.ids {
            guard let route = routes[route], route.publication == session.publication else { continue }
            // The start counts too: a load in the source's queue has no bytes yet.
            let flowedAt = max(route.startedAt, route.byteAt, route.takenAt)
            sessions.update(id) { $0.phase.updateDrop { $0.bytesFlowed(at: flowedAt) } }
        }
    }

    /// Ends a session for both sides with an error. Loads that have begun go on.
    mutating func abort(_ id: SessionID, _ failure: Failure) {
        guard let session = sessions[id] else { return }
        outbox.send(failure, to: session.source, stream: session.stream)
        end(id, at: failure)
    }
}
