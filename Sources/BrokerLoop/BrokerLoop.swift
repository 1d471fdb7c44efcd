package import BrokerState
package import PasteboardTransport
import PasteboardWire

/// The driver of the broker's state: one thread that waits for sockets, passes their input to the state, and
/// performs the state's decisions.
///
/// A turn takes input from the ready connections until it has cost ``turnCost``, fairly among their processes, and then
/// writes once to every connection that has something to send. Bytes of a load are sent from the memory into which they
/// were read; only those that the destination's socket does not take at once are stored. The loop never waits for a
/// peer, and calls no foreign code except the log closure.
package struct BrokerLoop: ~Copyable {
    // Only the methods under "Input and effects" change the state.
    private(set) var state: BrokerState
    /// Storage for the outbox that the state fills while the other one is performed; nil meanwhile.
    private var spareOutbox: Outbox?
    /// The descriptor that was passed with the frame that is being processed.
    private(set) var received: DescriptorBox?

    // MARK: Events

    let epoll: Epoll
    let timer: TimerDescriptor
    var clock: LoopClock
    var expiryClock: ExpiryClock
    /// The time of the timer in milliseconds of the clock; `max` while it is not set.
    var timerSetTo = UInt64.max
    private var events = EpollEvents()
    /// The event sources by their token. A removed one leaves nil.
    var eventSources: [(any EventSource)?] = []
    /// Event sources that epoll does not watch until a time.
    var paused: [(source: Int, until: UInt64)] = []

    // MARK: Connections

    /// The connections by the ids of their peers. Every input may end a connection, so it is looked up again after
    /// each.
    var connections = SlotTable<Connection>()
    var heldBytes = HeldBytes()
    /// Connections to flush in this turn: their `writing` is `pending` or `failing`.
    var unflushed: [PeerID] = []
    /// The part of that list that is being flushed.
    var flushing: [PeerID] = []
    /// Connections with input that is read in this turn or the next ones: their `reading` is `queued`.
    var readingQueue = ReadingQueue()
    /// nil while a connection is read: reading must not start another read, which would overwrite the buffer.
    var readBuffer: ReadBuffer? = ReadBuffer()
    /// The data frames that are sent from the memory of the current read.
    var openRun: Run?
    var runFrames: [RunFrame] = []
    /// Bytes of loads that sockets have taken and that are not reported to the state yet.
    var deliveries: [Delivery] = []
    /// Storage for the deliveries of the next writes while those of the last are reported.
    var spareDeliveries: [Delivery] = []
    let controlLimit: Int
    /// Whether the turn has a single event: then no other frame for the same destination follows in this turn, and the
    /// last bytes that were read need not wait for more.
    private(set) var isAlone = false

    var memory: KeptMemory
    /// Passed to each client with `welcome`, for no other use.
    let probe: DescriptorBox?
    var saving = Saving()
    let closer: DescriptorCloser
    let log: @Sendable (String) -> Void
    /// Whether the frames of all peers are logged.
    let logsFrames = FrameLog.isWanted
    private var peerLog = PeerLog()
    private var isDone = false

    /// Tests have their own clocks.
    ///
    /// - Parameters:
    ///   - time: a clock that does not jump, in milliseconds.
    ///   - timeWithSleep: one that includes the time in which the machine is suspended.
    package init(
        state: consuming BrokerState,
        time: @escaping @Sendable () -> UInt64 = { MonotonicClock.now() / 1_000_000 },
        timeWithSleep: @escaping @Sendable () -> UInt64 = { MonotonicClock.bootMicroseconds() / 1_000 },
        log: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        let epoll = try Epoll()
        let timer = try TimerDescriptor()
        try epoll.add(timer.raw, .readable, token: Self.timerToken)
        let closer = DescriptorCloser()
        controlLimit = Int(clamping: state.world.context.limits.controlQueue)
        self.state = state
        self.log = log
        self.epoll = epoll
        self.timer = timer
        clock = LoopClock(time)
        expiryClock = ExpiryClock(timeWithSleep)
        self.closer = closer
        memory = KeptMemory(closer: closer)
        // Sealed, because all clients share it.
        probe = (try? MemoryFile().completed())?.descriptor
        self.state.started(at: clock.now)
        self.state.setTime(clock.now, wall: WallClock.microseconds() / 1_000)
    }

    // MARK: Turns

    /// Runs until the broker has been stopped and has drained.
    package mutating func run() throws(SystemError) {
        while !isDone { try turn(waiting: true) }
    }

    /// Takes one turn. Without waiting, it takes only what is ready now, so that tests can step through it.
    package mutating func turn(waiting: Bool) throws(SystemError) {
        try armTimer()
        // Output and input that the previous turn left over must not wait for an event.
        let isIdle =
            unflushed.isEmpty && deliveries.isEmpty && readingQueue.isEmpty && !state.hasReadyKept && !state.hasRounds
        // Another turn follows at once after a wait that a signal has ended.
        guard try epoll.wait(into: &events, milliseconds: waiting && isIdle ? nil : 0) else { return }
        let before = clock.now
        if clock.wake(due: timerSetTo) { drainTimer() }
        let (now, passed) = (clock.now, expiryClock.elapsed())
        // Not in each turn, because reading a clock takes time.
        let wall = now > before ? WallClock.microseconds() / 1_000 : nil
        input { $0.setTime(now, passed: passed, wall: wall) }
        if !paused.isEmpty { resumePaused() }
        if state.world.context.unclosedDescriptors > 0 { countUnclosed() }
        isAlone = events.count == 1 && readingQueue.isEmpty
        handleEvents()
        // While many connections wait in the queue, epoll reports them again and again. The events of others follow.
        var batches = 1
        while events.isFull, batches < Self.batchesOfEvents, try epoll.wait(into: &events, milliseconds: 0) {
            handleEvents()
            batches += 1
        }
        if !isAlone { readQueued() }
        if state.hasRounds { continueRounds() }
        flushOutput()
        checkDeadlines()
        if state.isDrained {
            input { $0.endDraining() }
            memory.wipeConcealed()
            isDone = true
        }
    }

    /// The number of times that a turn takes a full list of events. Together they are more than the connections that
    /// one process may have.
    private static let batchesOfEvents = 20

    @inline(__always)
    private mutating func handleEvents() {
        // Signals and new connections are handled first, because the input of peers may take long.
        for index in 0..<events.count where events[index].token < Self.firstPeerToken {
            let token = events[index].token
            if token == Self.timerToken { drainTimer() } else { notify(Int(token)) }
        }
        for index in 0..<events.count {
            let event = events[index]
            guard let slot = find(PeerID(rawValue: event.token)) else { continue }
            if event.isWritable { flushLater(slot) }
            guard event.isReadable, connections[slot].isReadOnEvent else { continue }
            // Without others that wait, the queue would only cost time.
            if isAlone {
                read(connections[slot].peer, until: state.world.context.cost + ReadingQueue.quantum)
            } else {
                readLater(slot)
            }
        }
    }

    /// Ends what has exceeded a deadline. This runs after the turn's input and output, so that a peer is not late if
    /// its bytes have arrived. If more input is waiting, the check waits for it, but at most 1 s.
    private mutating func checkDeadlines() {
        let due = state.world.context.nextCheck
        guard clock.now >= due else { return }
        let mayBeLate = readingQueue.isEmpty && !events.isFull
        guard mayBeLate || clock.now - due > Self.longestDelayOfDeadlines else { return }
        input { $0.checkDeadlines() }
    }

    /// In milliseconds.
    private static let longestDelayOfDeadlines: UInt64 = 1_000

    /// Continues the rounds of watched boards, unless they cost too much for one turn.
    private mutating func continueRounds() {
        let end = state.world.context.cost + Self.roundsCost
        while state.hasRounds, state.world.context.cost < end { input { $0.continueRounds() } }
    }

    /// The cost of the rounds of one turn: about 1 ms.
    private static let roundsCost = 10_000

    package var isDraining: Bool { state.ending.isDraining }
    package var isTakeover: Bool { state.ending.isTakeover }
    /// Whether the broker keeps its path until another one listens there.
    var keepsPath: Bool { if case .takeover = state.ending { true } else { false } }

    /// Drains the broker. A second call ends it at once.
    package mutating func stop() {
        input { if $0.ending.isDraining { $0.endDraining() } else { $0.drain() } }
    }

    /// Ends the loop after this turn, without notifying any peer.
    mutating func crash() {
        isDone = true
    }

    /// Lets another broker take over.
    package mutating func beginTakeover() {
        input { $0.beginTakeover() }
    }

    /// Another broker listens at the path.
    mutating func pathWasTaken() {
        input { $0.pathWasTaken() }
    }

    // MARK: Input and effects

    /// Passes one input to the state, and performs the decisions in the outbox.
    ///
    /// A change that may lead to output uses this method or one below: if an outbox were not performed, a peer would
    /// wait forever.
    ///
    /// - Parameter prepare: runs before the outbox is performed, with the result of `body`.
    @inline(__always)
    @discardableResult
    mutating func input<Result>(
        _ body: (inout BrokerState) -> Result,
        beforePerforming prepare: (inout BrokerLoop, Result) -> Void = { _, _ in }
    ) -> Result {
        let result = body(&state)
        prepare(&self, result)
        performOutbox()
        return result
    }

    /// Calls `body` and performs nothing, for calls that never lead to output.
    @inline(__always)
    mutating func withState<Result>(_ body: (inout BrokerState) -> Result) -> Result {
        body(&state)
    }

    /// Like `input`, for a frame of a read: requests to sources and answers to destinations stay in the outbox until
    /// the end of the read, or until a frame leads to other output, which follows the run. `performOutbox` follows
    /// every read.
    @inline(__always)
    mutating func input<Result>(ofRead bytes: Span<UInt8>, _ body: (inout BrokerState) -> Result) -> Result {
        let result = body(&state)
        if state.world.context.outbox.isUrgent {
            closeRun(in: bytes)
            perform()
        }
        return result
    }

    @inline(__always)
    mutating func performOutbox() {
        if !state.world.context.outbox.isEmpty { perform() }
    }

    /// Like `input`, for a frame that was passed with a descriptor. The outbox can pass the descriptor on or keep it;
    /// after that it is released.
    mutating func input(with descriptor: DescriptorBox?, _ body: (inout BrokerState) -> Void) {
        received = descriptor
        input(body)
        received = nil
    }

    /// Performs the outbox, and empties it.
    private mutating func perform() {
        // Exchanged, because an effect may lead to another input, which fills the state's outbox.
        var outbox = spareOutbox.take() ?? Outbox()
        state.exchangeOutbox(with: &outbox)
        var overfull: [PeerID] = []
        for index in 0..<outbox.sends.count {
            let send = outbox.sends[index]
            guard let target = find(send.peer), !connections[target].isWriteClosed else { continue }
            let frames = outbox.frames.memory.span.extracting(outbox.bytes(ofSend: index))
            if logsFrames { logSent(frames, to: send.peer) }
            if let passing = send.passing {
                pass(frames, passing, to: target)
                continue
            }
            switch send.order {
            case .connection: connections[target].output.appendControl(frames)
            case .stream: connections[target].output.appendStream(frames)
            }
            flushLater(target)
            if isOverfull(target) { overfull.append(send.peer) }
        }
        for index in 0..<outbox.effects.count { perform(outbox.effects[index]) }
        if saving.hasFailed { reportUnsaved(to: outbox.sends) }
        for peer in overfull { relieve(peer) }
        spareOutbox = consume outbox
    }

    private mutating func perform(_ effect: Outbox.Effect) {
        switch effect {
        case .log(let removal): report(removal)
        case .logEviction(let eviction): report(eviction.text, of: eviction.process)
        case .close(let peer): close(peer)
        case .closeAfterError(let peer): close(peer, sendsStreams: false)
        case .passDescriptors(let peer, let probes): passDescriptors(peer, probes: probes)
        case .adoptKept(let kept): memory.adopt(received, for: kept)
        case .completeKept(let kept): memory.complete(kept)
        case .concealKept(let kept): memory.conceal(kept)
        case .conceal(let peer):
            if let slot = find(peer) { connections[slot].conceal() }
        case .closeKept(let kept):
            memory.close(kept)
        case .boardsChanged: makeDiskCopyVoid()
        case .save(let contents): save(contents)
        case .removeSaved(let contents): removeSaved(contents)
        case .continueReport(let peer):
            if let slot = find(peer) { connections[slot].isReporting = true }
        case .sendChanges(let peer):
            guard let slot = find(peer) else { return }
            connections[slot].hasChanges = true
            if connections[slot].mayBeNotified { readLater(slot) }
        case .stopListening:
            endSaving()
            notifyOfDraining()
        case .leavePath:
            notifyOfDraining()
        }
    }

    /// Logs a peer that was refused or ended, within the rate limit.
    mutating func report(_ removal: PeerRemoval) {
        report(removal.text, of: removal.process)
    }

    mutating func report(_ text: String, of process: UInt32) {
        if let line = peerLog.line(text, process: process, at: clock.now) { log(line) }
    }
}
