import PasteboardWire

/// The connections: their processes and accounts, hello, and the target of each client stream.
struct Peers: ~Copyable, Sendable {
    typealias Slot = SlotTable<Peer>.Slot

    /// The process id and version of the broker, for `welcome`.
    private let process: UInt32
    let programVersion: String

    var peerTable = SlotTable<Peer>()
    private(set) var closed = ClosedPeers()

    init(process: UInt32 = 0, programVersion: String = "") {
        self.process = process
        self.programVersion = programVersion
    }

    var count: Int { peerTable.count }
    var isEmpty: Bool { peerTable.isEmpty }
    var ids: [PeerID] { peerTable.ids }

    /// The peer after another one, which may have disconnected; the first one after nil.
    func next(after slot: Slot?) -> Slot? { peerTable.next(after: slot) }

    func id(of slot: Slot) -> PeerID { peerTable.id(of: slot) }

    @inline(__always)
    func find(_ id: PeerID) -> Slot? { peerTable.find(id) }

    func holds(_ id: PeerID) -> Bool { peerTable.holds(id) }

    subscript(_ slot: Slot) -> Peer {
        @inline(__always) _read { yield peerTable[slot] }
    }

    /// Whether the peer passes contents on to another machine.
    @inline(__always)
    func isLink(at slot: Slot) -> Bool { peerTable[slot].access.isLink }

    func account(of id: PeerID) -> Accounting.AccountID? {
        guard let slot = find(id) else { return nil }
        return peerTable[slot].account
    }

    // MARK: Connecting and disconnecting

    /// Admits a connection. The peer has to send hello before its deadline.
    mutating func connect(_ process: ProcessKey, _ context: inout BrokerContext) throws(Failure) -> PeerID {
        guard UInt64(count) < context.limits.connections else {
            throw Failure(
                .limitExceeded,
                "the broker has \(count) connections; limit connections is \(context.limits.connections)"
            )
        }
        let account = try context.accounting.connect(process, limit: context.limits.connectionsPerProcess)
        let deadline = context.now.addingClamped(context.limits.hello)
        context.check(by: deadline)
        context.counters.connections += 1
        return peerTable.insert(
            Peer(
                access: AccessContext(process: process),
                account: account,
                phase: .silent(helloBy: deadline, isDeaf: false),
                connectedAt: context.now
            )
        )
    }

    /// Sets the reason for which the broker is about to close a connection.
    mutating func setCloseReason(_ reason: Failure, of id: PeerID) {
        if let slot = find(id) { peerTable[slot].closeReason = reason.description.printable }
    }

    /// Refuses a connection. The id finds no peer, now or later: it is the address of the error.
    mutating func refuse(_ process: ProcessKey, _ failure: Failure, at now: UInt64) -> PeerID {
        closed.record(ClosedPeers.Entry(process: process, label: "", reason: failure.description.printable, at: now))
        let access = AccessContext(process: process)
        let peer = Peer(access: access, account: .init(slot: 0, generation: 0), phase: .deaf, connectedAt: now)
        let id = peerTable.insert(peer)
        peerTable.remove(id)
        return id
    }

    mutating func remove(_ id: PeerID, _ context: inout BrokerContext) {
        guard let slot = peerTable.find(id) else { return }
        let peer = peerTable.remove(slot)
        let reason = peer.closeReason
        closed.record(ClosedPeers.Entry(process: peer.process, label: peer.label, reason: reason, at: context.now))
        context.queue(0, insteadOf: peer.backlog.count, for: peer.account)
        context.accounting.disconnect(peer.account)
    }

    /// Nothing more can be sent to the peer. Its input still counts until the end of the connection.
    mutating func stoppedReading(_ id: PeerID) {
        guard let slot = find(id) else { return }
        switch peerTable[slot].phase {
        case .silent(let helloBy, _): peerTable[slot].phase = .silent(helloBy: helloBy, isDeaf: true)
        case .ready, .deaf: peerTable[slot].phase = .deaf
        }
    }

    // MARK: Hello

    @inline(__always)
    func awaitsHello(_ slot: Slot) -> Bool {
        if case .silent = peerTable[slot].phase { true } else { false }
    }

    /// Handles hello and answers it.
    mutating func greet(_ hello: Hello, from id: PeerID, _ context: inout BrokerContext) throws(Failure) {
        guard let slot = find(id), case .silent(_, let isDeaf) = peerTable[slot].phase else {
            throw Failure(.protocolViolation, "hello has to be the first frame, on stream 0, and is sent only once")
        }
        let version = UInt32(FrameHeader.version)
        let lowest = hello.minimumVersion ?? 1
        let highest = hello.maximumVersion ?? 1
        guard lowest <= version, version <= highest else {
            throw Failure(
                .versionMismatch,
                "the client speaks versions \(lowest) to \(highest), this broker \(version); update the older of the two"
            )
        }
        // The error must not show the token.
        guard hello.groups.allSatisfy(\.isGroup) else {
            throw Failure(.invalidArgument, "invalid group token: it has to be 1 to \(WireLimits.name) bytes long")
        }
        let welcome = welcome(to: hello, for: peerTable[slot].account, context)
        peerTable[slot].phase = isDeaf ? .deaf : .ready
        peerTable[slot].access.isLink = (hello.role ?? .program) != .program
        peerTable[slot].access.passesConcealed = hello.seesConcealed ?? false
        peerTable[slot].access.groups = hello.groups
        peerTable[slot].label = (hello.label ?? "").asLabel
        peerTable[slot].receivesDropReports = welcome.features.contains(Feature.dropReports.rawValue)
        if welcome.features.contains(Feature.links.rawValue) {
            peerTable[slot].access.carriesOrigins = peerTable[slot].access.isLink || hello.carriesOrigins == true
        }
        let passesDescriptors = welcome.features.contains(Feature.descriptors.rawValue)
        let probes = passesDescriptors && welcome.features.contains(Feature.probe.rawValue)
        context.send(welcome, to: id, stream: 0, descriptorCount: probes ? 1 : 0)
        guard passesDescriptors else { return }
        peerTable[slot].passesDescriptors = true
        context.perform(.passDescriptors(id, probes: probes))
    }

    /// Passes no descriptors to or from a peer from now on: they do not arrive there.
    mutating func endDescriptors(_ slot: Slot) {
        peerTable[slot].passesDescriptors = false
    }

    private func welcome(
        to hello: Hello,
        for account: Accounting.AccountID,
        _ context: borrowing BrokerContext
    ) -> Welcome {
        var welcome = Welcome()
        welcome.version = UInt32(FrameHeader.version)
        welcome.features = Feature.allCases.map(\.rawValue).filter(hello.features.contains)
        if context.unclosedDescriptors >= context.limits.passedDescriptors {
            welcome.features.removeAll { $0 == Feature.descriptors.rawValue }
        }
        welcome.epoch = context.epoch
        welcome.maximumStreams = UInt32(clamping: context.limits.loadsPerConnection)
        welcome.keptPool = context.limits.keptPool
        welcome.keptFree = context.accounting.room(for: account, of: .keptBytes)
        if let (path, device, room) = context.keptDirectory, context.saving == .working {
            (welcome.keptDirectory, welcome.keptDirectoryDevice, welcome.keptDirectoryRoom) = (path, device, room)
        }
        welcome.firstByteMilliseconds = context.limits.firstByte
        welcome.progressMilliseconds = context.limits.progress
        welcome.process = process
        welcome.programVersion = programVersion
        if context.settlesAt > context.now { welcome.settlingMilliseconds = context.settlesAt - context.now }
        return welcome
    }

    // MARK: Client streams, whose ids only grow

    @inline(__always)
    mutating func open(_ stream: UInt64, by slot: Slot) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream > peerTable[slot].highestStream else {
            throw Failure(.protocolViolation, "stream \(stream) cannot be opened: ids are odd and must increase")
        }
        peerTable[slot].highestStream = stream
    }

    /// Throws if the client never opened the stream.
    func checkIsLate(_ stream: UInt64, at slot: Slot) throws(Failure) {
        guard StreamID(stream).isOpenedByClient, stream <= peerTable[slot].highestStream else {
            throw Failure(.protocolViolation, "stream \(stream) was never opened")
        }
    }

    /// The target of a stream; nil if the stream is over or was never opened.
    func knownTarget(of stream: UInt64, at slot: Slot) -> StreamTarget? {
        peerTable[slot].streams[stream]
    }

    /// Sets the target of a stream, if the peer still exists; nil closes the stream.
    mutating func setTarget(_ target: StreamTarget?, of stream: UInt64, at id: PeerID) {
        guard let slot = find(id) else { return }
        peerTable[slot].streams[stream] = target
    }

    /// The report that is being sent to a peer.
    func report(of id: PeerID) -> Report? {
        guard let slot = find(id) else { return nil }
        for target in peerTable[slot].streams.values {
            if case .report(let report) = target { return report }
        }
        return nil
    }

    /// Treats a stream as opened and closed: frames on it are late from now on.
    mutating func skip(_ stream: UInt64, at slot: Slot) {
        peerTable[slot].highestStream = max(peerTable[slot].highestStream, stream)
    }

    /// The targets of all open streams of a peer, in the order in which they were opened.
    func targets(at id: PeerID) -> [StreamTarget] {
        guard let slot = find(id) else { return [] }
        return peerTable[slot].streams.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Deadlines

    /// The first peer after `cursor` whose hello or whose backlog is late. The caller ends it and calls again.
    func nextLate(after cursor: inout Slot?, _ context: inout BrokerContext) -> (peer: PeerID, failure: Failure)? {
        while let slot = peerTable.advance(&cursor) {
            if let deadline = peerTable[slot].backlog.deadline(after: context.limits.progress) {
                if deadline <= context.now {
                    let what = "the client has not read its frames, or has not completed one that it began,"
                    return (peerTable.id(of: slot), Failure(.timeout, "\(what) for \(context.limits.progress) ms"))
                }
                context.check(by: deadline)
            }
            guard case .silent(let helloBy, _) = peerTable[slot].phase else { continue }
            if helloBy <= context.now {
                let text = "no complete hello was received within \(context.limits.hello) ms"
                return (peerTable.id(of: slot), Failure(.timeout, text))
            }
            context.check(by: helloBy)
        }
        return nil
    }
}

extension String {
    /// The text as the label of a peer.
    var asLabel: String { printable.prefix(utf8Count: WireLimits.name) }
    /// Whether a peer may name this group.
    var isGroup: Bool { (1...WireLimits.name).contains(utf8.count) }
}
