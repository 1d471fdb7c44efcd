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
        case .takeover(let end):
            endUnused()
            if end <= world.context.now { pathWasTaken() } else { world.context.check(by: end) }
        case .succeeded: endUnused()
        }
        world.context.nextCheck = max(world.context.nextCheck, world.context.now.addingClamped(coarseness))
    }

    private mutating func checkLoads() {
        loads.beginDeadlines(&world.context)
        var load: Loads.Slot?
        while loads.endLate(after: &load, in: &world) { reportLoads() }
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
        begin(.draining(until: end))
        world.context.check(by: end)
    }

    /// The time for another broker to listen after this one has released the path, in milliseconds. Clients wait
    /// longer.
    static let timeToTakeOver: UInt64 = 4_000

    /// Lets another broker take over, with the same path and the saved contents. Loads that have bytes, and drops, may
    /// finish here. A connection ends when it has none left, so that its program connects to the other broker.
    package mutating func beginTakeover() {
        guard !ending.isDraining else { return }
        let end = world.context.now.addingClamped(Self.timeToTakeOver)
        begin(.takeover(until: end))
        world.context.check(by: end)
        endUnused()
    }

    /// Another broker listens at the path, or none has in time.
    package mutating func pathWasTaken() {
        guard case .takeover = ending else { return }
        ending = .succeeded
        world.context.perform(.leavePath)
    }

    private mutating func begin(_ ending: Ending) {
        self.ending = ending
        world.context.perform(.stopListening)
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

    /// Ends a connection after the frames of its loads. The farewell names the last stream that was taken: everything
    /// on it and before it has been answered, and nothing later was carried out.
    private mutating func leave(_ peer: PeerID) {
        var farewell = restarting
        if let slot = peers.find(peer) { farewell.lastStream = peers[slot].highestStream }
        endConnection(of: peer, with: farewell, order: .stream)
        world.context.perform(.close(peer))
    }

    /// Ends everything that still runs, without waiting.
    package mutating func endDraining() {
        pathWasTaken()
        loads.failAll(with: restarting, in: &world) { _ in true }
        reportLoads()
        // Before the peers, so that a session does not end with the death of one side.
        abortSessions(exceptDropped: false, restarting)
        for id in peers.ids { leave(id) }
    }

    /// Whether a drain has nothing left to wait for.
    package var isDrained: Bool {
        mutating get {
            if case .takeover = ending { return false }
            return ending.isDraining && loads.isEmpty && sessions.sessionCount == 0
        }
    }

    var restarting: Failure {
        ending.isTakeover
            ? Failure(.brokerRestarted, "another broker takes over; try again")
            : Failure(.brokerStopped, "the broker was stopped; copy, offer and drop start one")
    }

    mutating func stop(_ stop: Stop, on stream: PeerStream) throws(Failure) {
        try Feature.check(stop.requires)
        guard !ending.isDraining else { return world.context.send(End(), on: stream) }
        stops.append((stream.peer, stream.id))
        drain()
    }

    /// Answers the requests that have stopped the broker, when the driver has left everything to the next one.
    ///
    /// - Parameters:
    ///   - kept: the contents that are saved.
    ///   - error: the reason why some of them are not on the disk, if they should be.
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
