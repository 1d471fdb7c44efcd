import PasteboardWire

// The deadlines of drag sessions. Before the drop the limits are the time in all and the time without an event. From the
// drop on a session may take any time as long as its bytes flow or its destination reports progress.
extension BrokerState {
    mutating func checkSessions() {
        for id in self.sessions.ids {
            guard let session = self.sessions[id] else { continue }
            if self.deadline(of: session) <= self.now { self.expire(id) }
            // It may have a next one.
            self.checkDeadline(of: id)
        }
    }

    /// Has a session looked at when the first of its deadlines has come.
    mutating func checkDeadline(of id: SessionID) {
        if let session = self.sessions[id] { self.check(by: self.deadline(of: session)) }
    }

    func deadline(of session: DragSession) -> UInt64 {
        if let drop = session.drop { return self.deadline(of: drop, session.phase) }
        let end = session.startedAt.addingClamped(self.limits.session)
        // A session that waits for a destination is not idle.
        let deadline =
            session.waits > 0 ? end : min(end, session.activeAt.addingClamped(self.limits.sessionIdle))
        guard let hover = session.hover, hover.isAwaiting else { return deadline }
        return min(deadline, hover.since.addingClamped(self.limits.proposal))
    }

    private func deadline(of drop: SessionDrop, _ phase: DragSession.Phase) -> UInt64 {
        let flow = drop.flowedAt.addingClamped(self.limits.session)
        switch phase {
        case .dropping where drop.isIdle && !drop.isAtWork:
            return min(flow, drop.quietSince.addingClamped(self.limits.dropWindow))
        case .transferring where drop.openLoads == 0 && !drop.isAtWork:
            return min(flow, drop.quietSince.addingClamped(self.limits.conclude))
        default:
            return flow
        }
    }

    private mutating func expire(_ id: SessionID) {
        self.noteFlow(of: id)
        guard let session = self.sessions[id], self.deadline(of: session) <= self.now else { return }
        if let drop = session.drop { return self.expire(id, drop, session.phase) }
        if session.startedAt.addingClamped(self.limits.session) <= self.now {
            let text = "the session took longer than \(self.limits.session) ms without a drop (limit session)"
            return self.abort(id, Failure(.timeout, text))
        }
        if session.waits == 0, session.activeAt.addingClamped(self.limits.sessionIdle) <= self.now {
            let text = "nothing happened to the session for \(self.limits.sessionIdle) ms (limit session-idle)"
            return self.abort(id, Failure(.timeout, text))
        }
        self.proposalIsLate(id)
    }

    private mutating func expire(_ id: SessionID, _ drop: SessionDrop, _ phase: DragSession.Phase) {
        let name = self.visits[drop.visit].map { self.name(of: $0) } ?? ""
        if drop.flowedAt.addingClamped(self.limits.session) <= self.now {
            let text =
                "nothing was transferred for \(self.limits.session) ms, and destination \(name) has reported no progress "
                + "(limit session)"
            return self.giveUp(id, drop, phase, Failure(.timeout, text))
        }
        if phase == .dropping {
            let text =
                "destination \(name) has begun no load within \(self.limits.dropWindow) ms of the drop (limit drop-window)"
            return self.finish(id, failure: Failure(.timeout, text))
        }
        let text =
            "destination \(name) has not confirmed within \(self.limits.conclude) ms of its last load that it has the items "
            + "(limit conclude)"
        self.giveUp(id, drop, phase, Failure(.timeout, text))
    }

    /// Ends a drop that has run into a limit. A copy is complete nevertheless if its handler and all its loads have ended.
    private mutating func giveUp(
        _ id: SessionID,
        _ drop: SessionDrop,
        _ phase: DragSession.Phase,
        _ failure: Failure
    ) {
        let isCopied =
            drop.operation == .copy && phase == .transferring && drop.openLoads == 0 && !drop.isIdle
            && drop.missing == nil
        if let publication = self.sessions[id]?.publication { self.endLoads(of: publication, failure) }
        self.finish(id, failure: isCopied ? nil : failure)
    }

    /// Brings the time of the drop's last byte up to date. Done only when the drop seems to have run into a limit, because
    /// doing it at every byte would be too expensive.
    private mutating func noteFlow(of id: SessionID) {
        guard let session = self.sessions[id], session.drop?.openLoads ?? 0 > 0 else { return }
        for route in self.routes.ids {
            guard let route = self.routes[route], route.publication == session.publication else { continue }
            // The start counts too: a load that waits for its turn has no bytes yet.
            let flowedAt = max(route.startedAt, route.byteAt, route.takenAt)
            self.sessions.update(id) { $0.drop?.flow(at: flowedAt) }
        }
    }

    /// Ends a session for all who take part, with an error. Loads that have begun go on.
    mutating func abort(_ id: SessionID, _ failure: Failure) {
        guard let session = self.sessions[id] else { return }
        self.outbox.send(failure, to: session.source, stream: session.stream)
        self.end(id, at: failure)
    }
}
