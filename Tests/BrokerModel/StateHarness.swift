package import BrokerState
package import PasteboardWire

/// Drives a broker state as a loop does, but without sockets, and checks what a loop relies on. Requests of peers are
/// encoded and decoded, bytes move as the state's verdicts demand, and the frames to each peer are collected.
package final class StateHarness {
    package internal(set) var state: BrokerState
    package internal(set) var now: UInt64
    /// Whether a digest of all frames to each peer is computed.
    package var computesDigests = false
    /// Takes the conditions that are broken: a test records an issue, and the fuzzer ends the program.
    let report: FaultReport
    /// Whether sockets accept bytes at once. Otherwise the bytes wait for `deliver`.
    package var deliversAtOnce = true
    /// Whether the rest of a list or a status is sent at once. Otherwise it waits for `continueReport`.
    package var readsReports = true
    /// The peers with a list or a status of which a part has been sent.
    package internal(set) var unfinishedReports: Set<PeerID> = []
    /// Whether changes of watched boards are sent at once. Otherwise they wait for `continueChanges`.
    package var readsChanges = true
    /// The peers with changes of watched boards that were not sent.
    package internal(set) var unsentChanges: Set<PeerID> = []
    /// The pieces of rounds since the start, and the greatest cost of one.
    package internal(set) var roundPieces: (count: Int, greatestCost: Int) = (0, 0)
    /// The cost of the last frame from a peer, without what the driver does afterwards.
    package internal(set) var inputCost = 0
    /// The greatest cost of a piece of the changes for a peer.
    package internal(set) var greatestChangesCost = 0
    /// Whether the system refuses to pass descriptors.
    package var refusesDescriptors = false
    /// Whether the bytes of a cached load cannot be stored.
    package var isMemoryFull = false

    var decoders: [PeerID: FrameDecoder] = [:]
    var inboxes: [PeerID: [Frame]] = [:]
    var undelivered: [PeerID: [(load: LoadID, count: Int)]] = [:]
    var nextStreams: [PeerID: UInt64] = [:]
    private var nextProcess: UInt32 = 100
    var memory: [KeptID: KeptMemory] = [:]
    var closedKept: Set<KeptID> = []
    package internal(set) var passing: Set<PeerID> = []
    /// The clients to which a descriptor is passed with `welcome`.
    package internal(set) var probed: Set<PeerID> = []
    /// The descriptor that arrived with the frame that is being processed.
    var received: ReceivedDescriptor?
    package internal(set) var sealed: Set<KeptID> = []
    package internal(set) var closed: Set<PeerID> = []
    /// The peers that were sent an error on stream 0, which must be the last frame for each.
    var dismissed: Set<PeerID> = []
    package internal(set) var stoppedListening = false
    /// The connections and the kept bytes whose memory is overwritten after use.
    package internal(set) var concealing: Set<PeerID> = []
    package internal(set) var concealedKept: Set<KeptID> = []
    /// The peers that the log would show, in order.
    package internal(set) var removals: [PeerRemoval] = []
    package internal(set) var evictions: [Eviction] = []
    /// The greatest offset that each ask was granted, and the number of bytes that each load has moved.
    package internal(set) var granted: [UInt64: UInt64] = [:]
    package internal(set) var moved: [UInt64: UInt64] = [:]

    /// The contents that outlive this broker, and the changes of them (see `StateHarness+Saving`).
    package var saved: [PublicationID: SavedEntry] = [:]
    package var savedEarlier: [[PublicationID: SavedEntry]] = []

    /// The digests of all frames to each peer.
    package internal(set) var digests: [PeerID: FrameDigest] = [:]

    /// The number of kept representations that were opened and not closed.
    package var openMemory: Int { memory.count }

    /// Kept representations whose bytes arrived as a descriptor.
    package var adopted: Set<KeptID> { Set(memory.filter { $0.value.isAdopted }.keys) }

    package let epoch: UInt64
    package let firstChangeCount: UInt64

    /// - Parameter now: the time at which the broker starts.
    package init(
        firstChangeCount: UInt64 = 5_000,
        epoch: UInt64 = 77,
        now: UInt64 = 1_000,
        readsLoadsInPlace: Bool = true,
        process: UInt32 = 0,
        programVersion: String = "",
        reportingTo report: @escaping FaultReport,
        _ configure: (inout BrokerLimits) -> Void = { _ in }
    ) {
        var limits = BrokerLimits()
        configure(&limits)
        self.epoch = epoch
        self.firstChangeCount = firstChangeCount
        self.now = now
        self.report = report
        state = BrokerState(
            limits: limits,
            epoch: epoch,
            firstChangeCount: firstChangeCount,
            process: process,
            programVersion: programVersion
        )
        state.readsLoadsInPlace = readsLoadsInPlace
        state.started(at: now)
        setTime()
    }

    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
        if !holds { report(what()) }
    }

    // MARK: Peers

    /// Connects a process that sends nothing.
    package func connectSilently(process: UInt32? = nil) -> PeerID {
        nextProcess += 1
        setTime()
        let peer = state.connected(ProcessKey(pid: process ?? nextProcess, identity: 1))
        decoders[peer] = FrameDecoder(limitBeforeHello: WireLimits.helloLength)
        perform()
        return peer
    }

    /// Connects a process that has sent hello and received welcome.
    package func connect(
        _ label: String? = nil,
        process: UInt32? = nil,
        maximumStreams: UInt32? = nil,
        descriptors: Bool = false,
        dropReports: Bool = false,
        links: Bool = false,
        role: Role? = nil,
        carriesOrigins: Bool? = nil
    ) -> PeerID {
        let peer = connectSilently(process: process)
        var hello = Hello()
        hello.label = label
        hello.maximumStreams = maximumStreams
        hello.role = role
        hello.carriesOrigins = carriesOrigins
        if descriptors { hello.features.append(Feature.descriptors.rawValue) }
        if links { hello.features.append(Feature.links.rawValue) }
        if dropReports { hello.features.append(Feature.dropReports.rawValue) }
        send(hello, on: 0, from: peer)
        _ = take(peer)
        return peer
    }

    package func isConnected(_ peer: PeerID) -> Bool { decoders[peer] != nil }

    /// Connects a link that has the feature of links.
    package func connectLink(_ label: String? = nil, process: UInt32? = nil) -> PeerID {
        connect(label, process: process, links: true, role: .link)
    }

    package func disconnect(_ peer: PeerID) {
        state.disconnected(peer)
        forget(peer)
        perform()
    }

    package func stopReading(_ peer: PeerID) {
        state.stoppedReading(peer)
    }

    /// Disconnects all peers and clears all boards. Then nothing may be charged to anybody.
    ///
    /// - Returns: the conditions that are broken.
    package func finish() -> [String] {
        var broken = brokenInvariants()
        for peer in decoders.keys.sorted(by: { $0.rawValue < $1.rawValue }) { disconnect(peer) }
        clearBoards()
        broken += brokenInvariants()
        let isEmpty = isDraining ? held.isWithoutPeers : held == .nothing && openMemory == 0
        if !isEmpty { broken.append("\(held) and \(openMemory) kept representations at the end") }
        if !saved.isEmpty { broken.append("\(saved.count) contents are saved at the end") }
        return broken
    }

    /// Clears all boards that a status reports; a broker that is being drained needs no requests.
    private func clearBoards() {
        guard !isDraining else { return endDraining() }
        readsReports = true
        let cleaner = connect()
        check(isConnected(cleaner), "a broker without peers refuses a connection")
        for board in status(from: cleaner).compactMap(\.board?.name) { clear(board, from: cleaner) }
        disconnect(cleaner)
    }

    func forget(_ peer: PeerID) {
        decoders[peer] = nil
        undelivered[peer] = nil
        unfinishedReports.remove(peer)
        unsentChanges.remove(peer)
    }

    /// The next id with which the peer may open a stream.
    package func newStream(of peer: PeerID) -> UInt64 {
        let stream = nextStreams[peer] ?? 1
        nextStreams[peer] = stream + 2
        return stream
    }

    /// The frames to a peer since the last call.
    package func take(_ peer: PeerID) -> [Frame] {
        inboxes.removeValue(forKey: peer) ?? []
    }

    // MARK: Time

    /// Sets the time, and checks the deadlines.
    func setTime() {
        state.setTime(now)
        state.checkDeadlines()
    }

    package func advance(by milliseconds: UInt64) {
        now += milliseconds
        // The state is called only when it has asked for it, so that a deadline that it forgot to report is not met by
        // chance.
        if now >= state.world.context.nextCheck { setTime() }
        perform()
    }

    /// Sets the clock of the wall, in milliseconds since 1970.
    package func setWall(_ time: UInt64) { state.setTime(now, wall: time) }

    /// Lets time pass that the clock of the deadlines skips.
    package func suspend(for milliseconds: UInt64) {
        state.setTime(now, passed: milliseconds)
        perform()
    }

    // MARK: Other inputs

    /// Passes one input to the state, and performs its decisions.
    @discardableResult
    package func input<Result, Problem>(
        _ body: (inout BrokerState) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        defer { perform() }
        return try body(&state)
    }

    package func drain() { input { $0.drain() } }
    package func endDraining() { input { $0.endDraining() } }
    package func beginTakeover() { input { $0.beginTakeover() } }
    package func pathWasTaken() { input { $0.pathWasTaken() } }
    package func expectReclaims() { input { $0.expectReclaims() } }
    package func keptWriteFailed(_ kept: KeptID) { input { $0.keptWriteFailed(kept, reason: "no memory") } }

    package func unread(_ count: Int, of peer: PeerID, isHeldUp: Bool = false, hasRead: Bool = false) {
        setTime()
        state.unread(count, of: peer, isHeldUp: isHeldUp, hasRead: hasRead)
        perform()
    }

    package func partial(_ count: Int, of peer: PeerID) {
        setTime()
        state.partial(count, of: peer)
        perform()
    }

    /// Counts a cost for the input of a peer, as the driver does.
    package func spend(_ cost: Int, by peer: PeerID) {
        let account = state.account(of: peer)
        state.spent(since: state.world.context.cost - cost, by: account)
    }

    // Wrapped state: `#expect` cannot use the parts of a noncopyable value.

    package var held: BrokerState.Held { state.held }
    package var isDraining: Bool { state.ending.isDraining }
    package var isDrained: Bool { state.isDrained }

    package var unclosedDescriptors: UInt64 {
        get { state.world.context.unclosedDescriptors }
        set { state.setUnclosedDescriptors(newValue) }
    }
}

extension BrokerState.Held {
    /// Whether nothing is held for peers. A broker that is being drained still has the contents of its boards.
    fileprivate var isWithoutPeers: Bool { peers + loads + writes + sessions == 0 }
}
