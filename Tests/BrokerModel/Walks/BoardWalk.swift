import BrokerState
import PasteboardWire

/// Peers that do random things to a broker, and the ends of their loads.
struct BoardWalk: WalkPart {
    let broker: StateHarness
    let choices: Choices
    var peers: [PeerID] = []
    var openLoads: Set<WalkStream> = []
    var endedLoads: Set<WalkStream> = []
    var writes: [WalkStream] = []
    var committed: Set<WalkStream> = []
    var asks: [WalkStream] = []
    /// The asks that accept a descriptor.
    var welcoming: Set<UInt64> = []
    var handles: [UInt64] = []
    /// The publications of each peer, which it may add to.
    var written: [PeerID: [UInt64]] = [:]
    var broken: [String] = []
    /// The open watches, with their credit and the last change count that they have reported, and created boards.
    var watches: [(stream: WalkStream, granted: UInt64, sent: UInt64, count: UInt64)] = []
    /// The boards of open writes, and the last change counts that were reported to writers, which they may reclaim.
    var boards: [WalkStream: String] = [:]
    var counts: [(stream: WalkStream?, board: String?, changeCount: UInt64, epoch: UInt64)] = []
    private(set) var handOversSeen = 0
    private(set) var reclaimsSeen = 0
    var createdBoards: [(stream: WalkStream, name: String)] = []
    var changesSeen = 0
    private(set) var loadsSeen = 0
    /// The number of steps after which an ask of a cached load was open.
    private(set) var cachedSteps = 0
    /// Whether loads name one type, and most representations are visible to everybody. Such loads are plain.
    let namesTypes: Bool
    /// Whether writers hand over bytes and reclaim change counts. The recorded digests are of walks without it.
    let leavesContents: Bool
    var leaving: Set<WalkStream> = []
    var reclaiming: Set<WalkStream> = []

    /// - Parameter form: the sum of 1 for the largest windows, 2 for hand-overs and reclaims, and 4 for plain loads.
    init(_ broker: StateHarness, _ choices: Choices, form: UInt8) {
        self.broker = broker
        self.choices = choices
        leavesContents = form & 2 != 0
        namesTypes = form & 4 != 0
    }

    static func set(_ limits: inout BrokerLimits, form: UInt8) {
        limits.connections = 8
        limits.connectionsPerProcess = 3
        limits.loadsPerConnection = 12
        limits.waitingPerSource = 5
        limits.boards = 3
        limits.watches = 40
        limits.watchesPerProcess = 8
        limits.objects = 600
        limits.metadata = 20_000
        limits.keptPool = 1 << 20
        limits.passedDescriptors = 3
        limits.controlPool = 200_000
        limits.transferPool = form & 1 == 0 ? 2 << 20 : 64 << 20
    }

    // MARK: One step

    /// Performs one random action, and returns its name.
    mutating func step() -> String {
        // The steps of other parts may have caused frames.
        listen()
        guard let peer = choices.element(of: peers) else { return connect() }
        let action = act(as: peer)
        listen()
        if broker.hasCachedLoads { cachedSteps += 1 }
        return action
    }

    private mutating func act(as peer: PeerID) -> String {
        switch choices.number(in: 0..<100) {
        case 0..<4: return connect()
        case 4..<5:
            broker.disconnect(peer)
            forget(peer)
            return "disconnect"
        case 5..<11:
            broker.advance(by: choices.number(in: 0...12_000))
            return "advance"
        case 11..<12:
            broker.isMemoryFull = chance(10)
            return "isMemoryFull = \(broker.isMemoryFull)"
        case 12..<16:
            broker.deliversAtOnce.toggle()
            return "deliversAtOnce = \(broker.deliversAtOnce)"
        case 16..<24:
            for peer in peers { broker.deliver(to: peer) }
            return "deliver"
        case 24..<34: return write(as: peer)
        case 34..<54: return load(as: peer)
        case 54..<79: return serve()
        case 79..<84: return useBoards(as: peer)
        case 84..<90: return steer()
        case 90..<92: return ask(as: peer)
        case 92..<94: return dawdle(as: peer)
        case 94..<98: return continueWrite()
        default: return disturb(as: peer)
        }
    }

    private mutating func connect() -> String {
        let process = (choices.number(in: 1...4) as UInt32)
        let peer: PeerID
        if chance(10) {
            peer = broker.connectSilently(process: process)
        } else {
            peer = broker.connect(
                "p",
                process: process,
                maximumStreams: choices.number(in: 0...6),
                descriptors: chance(70),
                role: chance(10) ? .link : nil
            )
        }
        if broker.closed.contains(peer) { _ = broker.take(peer) } else { peers.append(peer) }
        return "connect"
    }

    /// Leaves bytes unread, or sends a part of a frame.
    private func dawdle(as peer: PeerID) -> String {
        let count = chance(50) ? 0 : choices.number(in: 0...150_000)
        if chance(50) {
            broker.partial(count / 2, of: peer)
            return "half a frame"
        }
        broker.unread(count, of: peer, isHeldUp: count > 60_000, hasRead: chance(50))
        return "unread"
    }

    /// Sends frames that no correct client would send.
    private mutating func disturb(as peer: PeerID) -> String {
        // Kinds that open streams are missing, because the walker would confuse them with its own loads, and stop is
        // missing because it ends the walk.
        let kinds: [UInt8] = [1, 2, 17, 18, 32, 33, 34, 48, 49, 50, 51, 52, 53, 99, 255]
        let kind = choices.element(of: kinds) ?? 99
        let payload = (0..<choices.number(in: 0...12)).map { _ in
            (choices.number(in: 0...255) as UInt8)
        }
        var stream: UInt64
        switch choices.number(in: 0..<8) {
        case 0: stream = 0
        case 1: stream = (choices.number(in: 0...(.max)) as UInt64)
        case 2: stream = (choices.number(in: 0...20) as UInt64) << 1 | 1 << 32
        case 3, 4: stream = choices.element(of: asks)?.id ?? 3
        default: stream = 1 + 2 * (choices.number(in: 0...40) as UInt64)
        }
        // A cancel or an error of the reader ends a load silently, which other steps test.
        // A watch's own frames would be confused with it, too.
        let disturbed = WalkStream(peer: peer, id: stream)
        if openLoads.contains(disturbed) || watches.contains(where: { $0.stream == disturbed }) { stream = 1 }
        broker.raw(
            kind: kind,
            flags: kind == 99 ? 0 : choices.number(in: 0...3),
            descriptors: chance(2) ? 1 : 0,
            payload: payload,
            on: stream,
            from: peer
        )
        return "kind \(kind) on \(stream)"
    }

    // MARK: Received frames

    mutating func listen() {
        for peer in peers {
            for frame in broker.take(peer) { hear(frame, at: peer) }
            if broker.closed.contains(peer) { forget(peer) }
        }
    }

    private mutating func hear(_ frame: Frame, at peer: PeerID) {
        let stream = WalkStream(peer: peer, id: frame.stream)
        switch frame.kind {
        case .change: hear(frame.decode(Change.self), on: stream)
        case .registered:
            if let name = frame.decode(Registered.self).name { createdBoards.append((stream, name)) }
        case .end, .error:
            watches.removeAll { $0.stream == stream }
            createdBoards.removeAll { $0.stream == stream }
        default: break
        }
        if frame.kind == .ask {
            asks.append(stream)
            if frame.decode(Ask.self).descriptorWelcome == true { welcoming.insert(frame.stream) }
        }
        if frame.kind == .committed, let handle = frame.decode(Committed.self).handle {
            let message = frame.decode(Committed.self)
            let board = boards[stream].flatMap { $0.hasPrefix("unique-") ? nil : $0 }
            if let board, let count = message.changeCount, let epoch = message.epoch {
                counts.append((stream, board, count, epoch))
            }
            if leaving.contains(stream) { handOversSeen += 1 }
            if reclaiming.contains(stream) { reclaimsSeen += 1 }
            handles.append(handle)
            if written[peer]?.contains(handle) != true { written[peer, default: []].append(handle) }
            committed.insert(stream)
        }
        if endedLoads.contains(stream) { broken.append("\(frame) came after the load's end") }
        guard openLoads.contains(stream) else { return }
        guard frame.kind == .end || frame.kind == .error || frame.last else { return }
        loadsSeen += 1
        openLoads.remove(stream)
        endedLoads.insert(stream)
    }

    private mutating func forget(_ peer: PeerID) {
        peers.removeAll { $0 == peer }
        written[peer] = nil
        asks.removeAll { $0.peer == peer }
        writes.removeAll { $0.peer == peer }
        watches.removeAll { $0.stream.peer == peer }
        createdBoards.removeAll { $0.stream.peer == peer }
        openLoads = openLoads.filter { $0.peer != peer }
    }

    /// Ends all loads by their deadlines, and then disconnects all peers.
    mutating func finish() {
        let open = openLoads.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
        for load in open { broker.credit(.max, on: load.id, from: load.peer) }
        for _ in 0..<100 {
            broker.advance(by: 30_000)
            for peer in peers { broker.deliver(to: peer) }
            listen()
        }
        // An item with arbitrary fields can allow its source a day for the first byte.
        if !openLoads.isEmpty { broker.advance(by: 86_400_000) }
        for peer in peers { broker.continueChanges(for: peer) }
        listen()
        if !openLoads.isEmpty { broken.append("\(openLoads.count) loads never ended") }
        for peer in peers { broker.disconnect(peer) }
    }

    var missing: [String] {
        let left = leavesContents ? 1 : 0
        return tooFew([
            ("loads", loadsSeen, 101), ("changes of watched boards", changesSeen, 21),
            ("steps with cached loads", cachedSteps, 101), ("hand-overs", handOversSeen, left),
            ("reclaims", reclaimsSeen, left),
        ])
    }

    // MARK: Choices

    func chance(_ percent: Int) -> Bool { choices.chance(percent) }

    func board() -> String? {
        if let created = createdBoards.last, chance(10) { return created.name }
        return choices.element(of: [nil, nil, nil, "one", "two", "three"]) ?? nil
    }
}
