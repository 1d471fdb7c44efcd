import PasteboardWire

// Time, and the end of the broker. Deadlines are checked lazily: nothing is armed for a load or a peer. `nextCheck` is
// never later than the first deadline; then all are checked, and the next time is found.
extension BrokerState {
    /// The minimum time between checks, so that tiny timeouts do not make the broker spin. A check looks at every load,
    /// so with many loads there are fewer.
    private var coarseness: UInt64 { 20 + UInt64(clamping: loads.count / 500) }

    /// Sets the time. The driver then passes what has arrived by that time, and after that checks the deadlines.
    ///
    /// Contents whose time is over are cleared here, before the input: a load of them may have arrived later.
    ///
    /// - Parameters:
    ///   - passed: the time since the last call, including suspensions; nil if there were none.
    ///   - wall: the wall clock, in milliseconds since 1970; nil if it was not read again.
    package mutating func setTime(_ now: UInt64, passed: UInt64? = nil, wall: UInt64? = nil) {
        let before = world.context.now
        world.context.now = max(before, now)
        if let wall { world.context.wallOffset = wall &- world.context.now }
        world.context.elapsed = world.context.elapsed.addingClamped(passed ?? world.context.now - before)
        if world.context.elapsed >= world.context.nextExpiry { clearExpired() }
    }

    @inline(never)
    private mutating func clearExpired() {
        for id in world.contents.expired(&world.context) {
            guard let slot = world.contents.find(id) else { continue }
            set(world.contents[slot].boardName, to: nil, reason: .expired)
        }
    }

    /// Ends everything that has exceeded a deadline.
    package mutating func checkDeadlines() {
        guard world.context.now >= world.context.nextCheck else { return }
        world.context.nextCheck = .max
        var peer: Peers.Slot?
        while let late = peers.nextLate(after: &peer, &world.context) { violation(by: late.peer, late.failure) }
        checkLoads()
        var write: SlotTable<PendingWrite>.Slot?
        while let late = world.contents.nextLate(after: &write, &world.context) { refuse(late.write, late.failure) }
        checkSessions()
        watches.checkRounds(&world.context)
        checkIdleness()
        world.context.checkExpiry()
        switch ending {
        case .none: break
        case .draining(let end): if end <= world.context.now { endDraining() } else { world.context.check(by: end) }
        case .takeover: endUnused()
        }
        world.context.nextCheck = max(world.context.nextCheck, world.context.now.addingClamped(coarseness))
    }

    private mutating func checkLoads() {
        loads.beginDeadlines(&world.context)
        loads.checkPlaces(in: &world)
        reportLoads()
        var load: Loads.Slot?
        while let late = loads.nextLate(after: &load, in: &world) {
            reportLoads()
            if case .blocked(let peer, let failure) = late { violation(by: peer, failure) }
        }
    }

    /// Drains the broker if no program has been connected for the time of the limit `idle-exit`.
    mutating func checkIdleness() {
        guard world.context.limits.idleExit > 0, peers.isEmpty, !ending.isDraining else { return }
        let since = idleSince ?? world.context.now
        idleSince = since
        let deadline = since.addingClamped(world.context.limits.idleExit)
        if deadline <= world.context.now { drain() } else { world.context.check(by: deadline) }
    }

    // MARK: Draining

    /// Begins the end of the broker. Loads that have no bytes yet end at once; the others and drops may finish until
    /// the limit `drain`.
    package mutating func drain() {
        guard !ending.isDraining else { return }
        let end = world.context.now.addingClamped(world.context.limits.drain)
        begin(.draining(until: end), .stopListening)
        world.context.check(by: end)
    }

    /// Lets another broker take over, with the same socket and the saved contents. Loads that have bytes, and drops,
    /// may finish here. A connection ends when it has none left, so that its program connects to the other broker.
    package mutating func beginTakeover() {
        guard !ending.isDraining else { return }
        begin(.takeover, .passOnListening)
        endUnused()
    }

    private mutating func begin(_ ending: Ending, _ effect: Outbox.Effect) {
        self.ending = ending
        world.context.perform(effect)
        loads.failAll(with: restarting, in: &world) { !$0.phase.isFlowing }
        reportLoads()
        abortSessions(exceptDropped: true, restarting)
        // No other broker would have their contents.
        for write in world.contents.writes { refuse(write, restarting) }
    }

    /// In milliseconds.
    private static let takeoverInterval: UInt64 = 20

    private mutating func endUnused() {
        let used = loads.peers.union(sessions.peers)
        for id in peers.ids where !used.contains(id) { leave(id) }
        if !peers.isEmpty { world.context.check(in: Self.takeoverInterval) }
    }

    /// Ends a connection without an error, as a crash does: the program connects to the other broker and continues
    /// there.
    private mutating func leave(_ peer: PeerID) {
        disconnected(peer)
        world.context.perform(.close(peer))
    }

    /// Ends everything that still runs, without waiting.
    package mutating func endDraining() {
        loads.failAll(with: restarting, in: &world) { _ in true }
        reportLoads()
        // Before the peers, so that a session does not end with the death of one side.
        abortSessions(exceptDropped: false, restarting)
        if ending.isTakeover {
            for id in peers.ids { leave(id) }
        }
        for id in peers.ids {
            // After the frames of its loads, which have ended.
            endConnection(of: id, with: restarting, order: .stream)
            world.context.perform(.close(id))
        }
    }

    /// Whether a drain has nothing left to wait for.
    package var isDrained: Bool { mutating get { ending.isDraining && loads.isEmpty && sessions.sessionCount == 0 } }

    var restarting: Failure {
        guard !ending.isTakeover else { return Failure(.brokerRestarted, "another broker takes over; try again") }
        let exceptions = world.context.limits.keptOnDisk == 0 ? "" : ", except those on disk"
        return Failure(.brokerRestarted, "the broker is shutting down; its contents are lost\(exceptions)")
    }

    mutating func stop(_ stop: Stop, on stream: PeerStream) throws(Failure) {
        try Feature.check(stop.requires)
        guard !ending.isDraining else { return world.context.send(End(), on: stream) }
        stops.append((stream.peer, stream.id))
        drain()
    }

    /// Answers the requests that have stopped the broker, when the driver has left contents on the disk.
    ///
    /// - Parameters:
    ///   - kept: the contents that are on the disk.
    ///   - error: the reason why others are not.
    package mutating func answerStops(kept: Set<PublicationID>, error: String?) {
        for (peer, stream) in exchange(&stops, with: []) {
            guard let slot = peers.find(peer) else { continue }
            let access = peers[slot].access
            var end = End()
            end.lostBoards = boards.full.filter { name in
                guard let id = boards.publication(on: name), !kept.contains(id) else { return false }
                return world.contents.visible(id, to: access) != nil
            }
            end.lostBoards.removeLast(max(0, end.lostBoards.count - WireLimits.clearedBoards))
            end.diskError = error
            world.context.send(end, to: peer, stream: stream)
        }
    }
}
