import PasteboardWire

// Deadlines are looked at lazily: nothing is armed for a load. `nextCheck` is never later than the first deadline;
// when it has come, all are looked at once and the next time is found.
extension BrokerState {
    /// Checks lie at least this far apart, so that tiny timeouts do not make the broker spin.
    private static let coarseness: UInt64 = 20

    mutating func checkDeadlines() {
        self.nextCheck = .max
        for id in self.peers.ids {
            guard let peer = self.peers[id], let deadline = peer.helloDeadline else { continue }
            if deadline <= self.now {
                let text = "no complete hello came within \(self.limits.hello) ms"
                self.violation(by: id, Failure(.timeout, text))
            } else {
                self.check(by: deadline)
            }
        }
        for id in self.routes.ids {
            guard let route = self.routes[id], let deadline = self.deadline(of: route) else { continue }
            if deadline > self.now {
                self.check(by: deadline)
            } else if route.phase == .ended {
                // Its bytes are in the connection's queue: only the end of the connection frees them.
                self.violation(by: route.destination, self.destinationStalled)
            } else {
                self.fail(id, self.lateness(of: route), tellSource: true)
                // What it has not read is held still.
                self.check(by: self.now.addingClamped(self.limits.progress))
            }
        }
        if self.isDraining, let drainEnds = self.drainEnds {
            if drainEnds <= self.now { self.endDraining() } else { self.check(by: drainEnds) }
        }
        self.nextCheck = max(self.nextCheck, self.now.addingClamped(Self.coarseness))
    }

    /// When the load ends if nothing happens; nil while it waits for its destination or for its turn.
    func deadline(of route: Route) -> UInt64? {
        let pressure = self.pressureDeadline(of: route)
        if route.phase == .ended || route.isPassing { return pressure }
        if let endsBy = route.endsBy { return min(endsBy, pressure ?? .max) }
        // A source without credit cannot give a byte.
        guard case .peer = route.source, route.received < route.granted else { return pressure }
        let patience = route.phase == .asked ? route.firstByte : self.limits.progress
        return min(
            route.activeAt.addingClamped(patience),
            route.byteAt.addingClamped(max(self.limits.keepAlive, patience))
        )
    }

    /// A destination that does not read costs its window and is left alone, until others need the room.
    private func pressureDeadline(of route: Route) -> UInt64? {
        guard self.transferFree == 0, route.delivered < route.received else { return nil }
        return route.activeAt.addingClamped(self.limits.progress)
    }

    private func lateness(of route: Route) -> Failure {
        if let endsBy = route.endsBy, endsBy <= self.now {
            return Failure(
                .timeout,
                "the load did not end within \(endsBy - route.startedAt) ms; \(route.received) bytes came from "
                    + "\(self.sourceName(route))"
            )
        }
        if route.endsBy == nil, route.phase == .asked {
            return Failure(
                .sourceStalled,
                "\(self.sourceName(route)) gave no byte within \(self.now - route.askedAt) ms"
            )
        }
        if route.endsBy == nil, route.received < route.granted, case .peer = route.source {
            return Failure(
                .sourceStalled,
                "\(self.sourceName(route)) stopped after \(route.received) bytes; none came for \(self.limits.progress) ms"
            )
        }
        return self.destinationStalled
    }

    private var destinationStalled: Failure {
        Failure(
            .destinationStalled,
            "the destination read nothing for \(self.limits.progress) ms while the broker's transfer pool is full"
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
    }

    /// Ends at once what is still under way.
    package mutating func endDraining() {
        self.failAll(Self.restarting) { _ in true }
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
