import PasteboardWire

// Deadlines are looked at lazily: nothing is armed for a load. `nextCheck` is never later than the first deadline;
// when it has come, all are looked at once and the next time is found.
extension BrokerState {
    /// Checks lie at least this far apart, so that tiny timeouts do not make the broker spin.
    private static let coarseness: UInt64 = 20

    mutating func checkDeadlines() {
        self.nextCheck = .max
        for id in self.peers.ids {
            self.checkBacklog(of: id)
            guard let deadline = self.peers[id]?.helloDeadline else { continue }
            if deadline <= self.now {
                let text = "no complete hello came within \(self.limits.hello) ms"
                self.violation(by: id, Failure(.timeout, text))
            } else {
                self.check(by: deadline)
            }
        }
        // Any load may come to be in the way of others from now on.
        if self.transferFree == 0 { self.check(by: self.now.addingClamped(self.limits.progress)) }
        let routes = self.routes.ids
        for id in routes { self.noteService(id) }
        for id in routes {
            guard let route = self.routes[id], let deadline = self.deadline(of: route) else { continue }
            if deadline > self.now {
                self.check(by: deadline)
            } else if route.phase == .ended {
                // Its bytes are in the connection's queue: only the end of the connection frees them.
                self.violation(by: route.destination, self.destinationStalled(route))
            } else {
                self.fail(id, self.lateness(of: route), tellSource: true)
                // What it has not read is held still.
                self.check(by: self.now.addingClamped(self.limits.progress))
            }
        }
        for id in self.writes.ids {
            guard let activeAt = self.writes[id]?.activeAt else { continue }
            let deadline = activeAt.addingClamped(self.limits.progress)
            if deadline <= self.now {
                let text = "nothing came of the write for \(self.limits.progress) ms"
                self.refuse(id, Failure(.timeout, text))
            } else {
                self.check(by: deadline)
            }
        }
        self.checkSessions()
        self.checkIdleness()
        if self.isDraining, let drainEnds = self.drainEnds {
            if drainEnds <= self.now { self.endDraining() } else { self.check(by: drainEnds) }
        }
        self.nextCheck = max(self.nextCheck, self.now.addingClamped(Self.coarseness))
    }

    /// Ends the broker if no program has been connected for the limit `idle-exit`.
    mutating func checkIdleness() {
        guard self.limits.idleExit > 0, self.peers.isEmpty, !self.isDraining else { return }
        let since = self.idleSince ?? self.now
        self.idleSince = since
        let deadline = since.addingClamped(self.limits.idleExit)
        if deadline <= self.now { self.drain() } else { self.check(by: deadline) }
    }

    /// When the load ends if nothing happens; nil while it waits for its destination alone.
    func deadline(of route: Route) -> UInt64? {
        let pressure = self.pressureDeadline(of: route)
        if route.phase == .ended || route.isPassing { return pressure }
        let own = route.endsBy ?? self.sourceDeadline(of: route)
        guard let own, let pressure else { return own ?? pressure }
        return min(own, pressure)
    }

    private func sourceDeadline(of route: Route) -> UInt64? {
        guard case .peer(let source) = route.source else { return nil }
        if route.phase == .waiting {
            let servedAt = self.peers[source]?.servedAt ?? 0
            return min(
                max(route.startedAt, servedAt).addingClamped(route.firstByte),
                route.startedAt.addingClamped(max(self.limits.keepAlive, route.firstByte))
            )
        }
        // A source without credit cannot give a byte.
        guard route.received < route.granted else { return nil }
        let patience = route.phase == .asked ? route.firstByte : self.limits.progress
        return min(
            route.activeAt.addingClamped(patience),
            route.byteAt.addingClamped(max(self.limits.keepAlive, patience))
        )
    }

    /// A destination that does not go on costs its window and a place at the source. It is left alone until others need
    /// the room or the place.
    private func pressureDeadline(of route: Route) -> UInt64? {
        var since: UInt64?
        if self.transferFree == 0, route.delivered < route.received { since = route.takenAt }
        if route.received == route.granted, let others = self.othersWait(for: route) {
            since = min(since ?? .max, max(route.byteAt, others))
        }
        return since?.addingClamped(self.limits.progress)
    }

    /// Since when other loads have waited for the place that the load has at its source; nil if none do.
    private func othersWait(for route: Route) -> UInt64? {
        guard case .peer(let source) = route.source, route.phase == .asked || route.phase == .flowing,
            let waiting = self.peers[source]?.waitingAsks, !waiting.isEmpty
        else { return nil }
        return waiting.since
    }

    /// Of a load that has a place at its source while others wait: that the source gives bytes of it lets them wait on,
    /// and from now on its destination may come to be in their way.
    private mutating func noteService(_ id: RouteID) {
        guard let route = self.routes[id], self.othersWait(for: route) != nil, case .peer(let source) = route.source
        else { return }
        self.check(by: self.now.addingClamped(self.limits.progress))
        guard route.received > 0 else { return }
        self.peers.update(source) { $0.servedAt = max($0.servedAt, route.byteAt) }
    }

    private func lateness(of route: Route) -> Failure {
        if let endsBy = route.endsBy, endsBy <= self.now {
            return Failure(
                .timeout,
                "the load did not end within \(endsBy - route.startedAt) ms; \(route.received) bytes came from "
                    + "\(self.sourceName(route))"
            )
        }
        if let pressure = self.pressureDeadline(of: route), pressure <= self.now {
            return self.destinationStalled(route)
        }
        if route.phase == .waiting {
            return Failure(
                .sourceStalled,
                "\(self.sourceName(route)) was busy with other loads for \(self.now - route.startedAt) ms; try again later"
            )
        }
        if route.phase == .asked {
            return Failure(
                .sourceStalled,
                "\(self.sourceName(route)) gave no byte within \(self.now - route.askedAt) ms"
            )
        }
        return Failure(
            .sourceStalled,
            "\(self.sourceName(route)) stopped after \(route.received) bytes; none came for \(self.limits.progress) ms"
        )
    }

    private func destinationStalled(_ route: Route) -> Failure {
        let need =
            self.othersWait(for: route) == nil ? "the broker's transfer pool is full" : "others wait for the source"
        return Failure(
            .destinationStalled,
            "the destination took nothing for \(self.limits.progress) ms while \(need)"
        )
    }

    // MARK: Draining

    /// The broker is to end: loads that wait hear so at once, those under way may finish until the drain limit.
    package mutating func drain() {
        guard !self.isDraining else { return }
        self.isDraining = true
        let end = self.now.addingClamped(self.limits.drain)
        self.drainEnds = end
        self.check(by: end)
        self.outbox.perform(.stopListening)
        self.failAll(Self.restarting) { $0.phase != .flowing }
        self.abortSessions(exceptDropped: true, Self.restarting)
    }

    /// Ends at once what is still under way.
    package mutating func endDraining() {
        self.failAll(Self.restarting) { _ in true }
        // Before one side of it seems to have gone.
        self.abortSessions(exceptDropped: false, Self.restarting)
        for id in self.peers.ids {
            self.outbox.send(Self.restarting, to: id, stream: 0, order: .stream)
            self.close(id)
        }
    }

    /// Whether a drain has nothing left to wait for.
    package var isDrained: Bool { self.isDraining && self.routes.isEmpty }

    private static var restarting: Failure {
        Failure(.brokerRestarted, "the broker is shutting down; its contents go with it")
    }

    mutating func stop(_ stop: Stop, stream: UInt64, from peer: PeerID) throws(Failure) {
        try Feature.check(stop.requires)
        self.outbox.send(End(), to: peer, stream: stream)
        self.drain()
    }
}
