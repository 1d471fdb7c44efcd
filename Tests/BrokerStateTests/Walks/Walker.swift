import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport

/// Peers that do random things to a broker, and the ends of their loads.
struct Walker {
    struct Stream: Hashable {
        let peer: PeerID
        let id: UInt64
    }

    var broker: StateHarness
    var random: SeededGenerator
    var peers: [PeerID] = []
    var openLoads: Set<Stream> = []
    var endedLoads: Set<Stream> = []
    var writes: [Stream] = []
    var committed: Set<Stream> = []
    var asks: [Stream] = []
    /// The asks that accept a descriptor.
    var welcoming: Set<UInt64> = []
    var handles: [UInt64] = []
    /// The publications of each peer, which it may add to.
    var written: [PeerID: [UInt64]] = [:]
    var broken: [String] = []
    /// The open watches, with their credit and the last change count that they have reported, and created boards.
    var watches: [(stream: Stream, granted: UInt64, sent: UInt64, count: UInt64)] = []
    /// The boards of open writes, and the last change counts that writers were told, which they may reclaim.
    var boards: [Stream: String] = [:]
    var counts: [(stream: Stream?, board: String?, changeCount: UInt64, epoch: UInt64)] = []
    private(set) var handOversSeen = 0
    private(set) var reclaimsSeen = 0
    var createdBoards: [(stream: Stream, name: String)] = []
    var changesSeen = 0
    private(set) var loadsSeen = 0
    /// The number of steps after which an ask of a cached load was open.
    private(set) var cachedSteps = 0
    /// Whether loads name one type, and most representations are visible to everybody. Such loads are plain.
    let namesTypes: Bool
    /// Whether writers hand over bytes and reclaim change counts. The recorded digests are of walks without it.
    let leavesContents: Bool
    var leaving: Set<Stream> = []
    var reclaiming: Set<Stream> = []

    init(seed: UInt64, namesTypes: Bool = false, leavesContents: Bool = false, readsLoadsInPlace: Bool = true) {
        random = SeededGenerator(seed: seed)
        self.leavesContents = leavesContents
        self.namesTypes = namesTypes
        broker = StateHarness(readsLoadsInPlace: readsLoadsInPlace) { limits in
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
            // Half of the seeds have small windows and a full pool, and the other half has the largest windows.
            limits.transferPool = seed & 1 == 0 ? 2 << 20 : 64 << 20
        }
    }

    // MARK: One step

    /// Performs one random action, and returns its name.
    mutating func step() -> String {
        guard let peer = peers.randomElement(using: &random) else { return connect() }
        let action = act(as: peer)
        listen()
        return action
    }

    private mutating func act(as peer: PeerID) -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<4: return connect()
        case 4..<5:
            broker.disconnect(peer)
            forget(peer)
            return "disconnect"
        case 5..<11:
            broker.advance(by: .random(in: 0...12_000, using: &random))
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
        let process = UInt32.random(in: 1...4, using: &random)
        let peer: PeerID
        if chance(10) {
            peer = broker.connectSilently(process: process)
        } else {
            peer = broker.connect(
                "p",
                process: process,
                maximumStreams: .random(in: 0...6, using: &random),
                descriptors: chance(70),
                role: chance(10) ? .link : nil
            )
        }
        if broker.closed.contains(peer) { _ = broker.take(peer) } else { peers.append(peer) }
        return "connect"
    }

    /// Leaves bytes unread, or sends a part of a frame.
    private mutating func dawdle(as peer: PeerID) -> String {
        let count = chance(50) ? 0 : Int.random(in: 0...150_000, using: &random)
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
        let kind = kinds.randomElement(using: &random) ?? 99
        let payload = (0..<Int.random(in: 0...12, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        var stream: UInt64
        switch Int.random(in: 0..<8, using: &random) {
        case 0: stream = 0
        case 1: stream = UInt64.random(in: 0...(.max), using: &random)
        case 2: stream = UInt64.random(in: 0...20, using: &random) << 1 | 1 << 32
        case 3, 4: stream = asks.randomElement(using: &random)?.id ?? 3
        default: stream = 1 + 2 * UInt64.random(in: 0...40, using: &random)
        }
        // A cancel or an error of the reader ends a load silently, which other steps test.
        // A watch's own frames would be confused with it, too.
        let disturbed = Stream(peer: peer, id: stream)
        if openLoads.contains(disturbed) || watches.contains(where: { $0.stream == disturbed }) { stream = 1 }
        broker.raw(
            kind: kind,
            flags: kind == 99 ? 0 : .random(in: 0...3, using: &random),
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
        let stream = Stream(peer: peer, id: frame.stream)
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

    mutating func brokenRules() -> [String] {
        if broker.hasCachedLoads { cachedSteps += 1 }
        var broken = self.broken + broker.brokenInvariants()
        for (ask, moved) in broker.moved where moved > broker.granted[ask] ?? 0 {
            broken.append("ask \(ask) moved \(moved) bytes without credit")
        }
        return broken
    }

    /// Ends all loads by their deadlines, then disconnects all peers and clears the boards.
    mutating func finish() {
        let open = openLoads.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
        for load in open { broker.credit(.max, on: load.id, from: load.peer) }
        for _ in 0..<100 {
            broker.advance(by: 30_000)
            for peer in peers { broker.deliver(to: peer) }
            listen()
        }
        for peer in peers { broker.continueChanges(for: peer) }
        listen()
        if !openLoads.isEmpty { broken.append("\(openLoads.count) loads never ended") }
        for peer in peers { broker.disconnect(peer) }
        let cleaner = broker.connect()
        for board in ["general", "one", "two", "three"] { broker.clear(board, from: cleaner) }
        broker.disconnect(cleaner)
    }

    // MARK: Choices

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func board() -> String? {
        if let created = createdBoards.last, chance(10) { return created.name }
        return [nil, nil, nil, "one", "two", "three"].randomElement(using: &random) ?? nil
    }
}
