import PasteboardWire

extension BrokerState {
    mutating func checkSessions() {
        for id in self.sessions.ids {
            guard let session = self.sessions[id] else { continue }
            if self.deadline(of: session) <= self.now { self.expire(id, session) }
            // It may have a next one.
            self.checkDeadline(of: id)
        }
    }

    /// Has a session looked at when the first of its deadlines has come.
    mutating func checkDeadline(of id: SessionID) {
        if let session = self.sessions[id] { self.check(by: self.deadline(of: session)) }
    }

    private func lifeDeadline(of session: DragSession) -> UInt64 {
        let end = session.startedAt.addingClamped(self.limits.session)
        guard session.drop?.openLoads ?? 0 == 0 else { return end }
        return min(end, session.activeAt.addingClamped(self.limits.sessionIdle))
    }

    func deadline(of session: DragSession) -> UInt64 {
        var deadline = self.lifeDeadline(of: session)
        if let hover = session.hover, hover.isAwaiting {
            deadline = min(deadline, hover.since.addingClamped(self.limits.proposal))
        }
        if let drop = session.drop, drop.openLoads == 0 {
            let patience = session.phase == .dropping ? self.limits.dropWindow : self.limits.conclude
            deadline = min(deadline, drop.quietSince.addingClamped(patience))
        }
        return deadline
    }

    private mutating func expire(_ id: SessionID, _ session: DragSession) {
        if self.lifeDeadline(of: session) <= self.now {
            let isOld = session.startedAt.addingClamped(self.limits.session) <= self.now
            let text =
                isOld
                ? "the session took longer than \(self.limits.session) ms"
                : "nothing happened to the session for \(self.limits.sessionIdle) ms"
            return self.abort(id, Failure(.timeout, text))
        }
        if session.hover?.isAwaiting == true { return self.proposalIsLate(id) }
        if session.phase == .dropping { return self.closeWindow(of: id) }
        if session.drop != nil { self.conclusionIsLate(id) }
    }

    /// Ends a session for all who take part, with an error. Loads that have begun go on.
    mutating func abort(_ id: SessionID, _ failure: Failure) {
        guard let session = self.sessions[id] else { return }
        self.outbox.send(failure, to: session.source, stream: session.stream)
        self.end(id, at: failure)
    }
}
