import BrokerState
import PasteboardWire

/// Peers that do random things to a broker, and the ends of their loads.
struct Walker {
    private struct Stream: Hashable {
        let peer: PeerID
        let id: UInt64
    }

    var broker: StateHarness
    private var random: SplitMix64
    private var peers: [PeerID] = []
    private var openLoads: Set<Stream> = []
    private var endedLoads: Set<Stream> = []
    private var writes: [Stream] = []
    private var committed: Set<Stream> = []
    private var asks: [Stream] = []
    /// The asks that accept a descriptor.
    private var welcoming: Set<UInt64> = []
    private var handles: [UInt64] = []
    /// The publications of each peer, which it may add to.
    private var written: [PeerID: [UInt64]] = [:]
    private var broken: [String] = []
    /// The open watches, with their credit and the last change count that they have reported, and created boards.
    private var watches: [(stream: Stream, granted: UInt64, sent: UInt64, count: UInt64)] = []
    /// The boards of open writes, and the last change counts that writers were told, which they may reclaim.
    private var boards: [Stream: String] = [:]
    private var counts: [(stream: Stream?, board: String?, changeCount: UInt64, epoch: UInt64)] = []
    private(set) var handOversSeen = 0
    private(set) var reclaimsSeen = 0
    private var createdBoards: [(stream: Stream, name: String)] = []
    private(set) var changesSeen = 0
    private(set) var loadsSeen = 0
    /// The number of steps after which an ask of a cached load was open.
    private(set) var cachedSteps = 0
    /// Whether loads name one type, and most representations are visible to everybody. Such loads are plain.
    private let namesTypes: Bool
    /// Whether writers hand over bytes and reclaim change counts. The recorded digests are of walks without it.
    private let leavesContents: Bool
    private var leaving: Set<Stream> = []
    private var reclaiming: Set<Stream> = []

    init(seed: UInt64, namesTypes: Bool = false, leavesContents: Bool = false, readsLoadsInPlace: Bool = true) {
        random = SplitMix64(state: seed)
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

    private mutating func write(as peer: PeerID) -> String {
        let handle = chance(25) ? chance(90) ? written[peer]?.last : handles.randomElement(using: &random) : nil
        let terms = handle == nil ? terms() : nil
        if leavesContents, handle == nil, chance(20) { return reclaim(as: peer, terms) }
        if leavesContents, handle != nil, chance(60) { return handOver(to: handle, as: peer) }
        let board = self.board()
        let stream = broker.begin(board: board, terms: terms, adding: handle, from: peer)
        finishWrite(stream, of: peer, on: board, adds: handle != nil, keepsPromises: false)
        guard leavesContents, handle == nil, chance(40) else { return "write" }
        // Others have not replaced the contents yet.
        listen()
        return chance(50) ? handOver(to: written[peer]?.last, as: peer) : reclaim(as: peer, nil, isOwn: true)
    }

    private mutating func handOver(to handle: UInt64?, as peer: PeerID) -> String {
        guard peers.contains(peer) else { return "nothing" }
        let stream = broker.begin(adding: handle, keepsPromises: true, from: peer)
        leaving.insert(Stream(peer: peer, id: stream))
        finishWrite(stream, of: peer, on: nil, adds: true, keepsPromises: true)
        return "hand over"
    }

    /// Writes under a change count that a board had, or that one of another broker may have had.
    private mutating func reclaim(as peer: PeerID, _ terms: ContentTerms?, isOwn: Bool = false) -> String {
        guard peers.contains(peer) else { return "nothing" }
        var reclaimed = counts.suffix(6).randomElement(using: &random)
        if isOwn || chance(40), let own = counts.last(where: { $0.stream?.peer == peer }), let stream = own.stream {
            broker.send(Cancel(), on: stream.id, from: peer)
            reclaimed = own
        } else if reclaimed == nil || chance(30) {
            let board = ["one", "two", "three"].randomElement(using: &random)
            reclaimed = (nil, board, UInt64.random(in: 4_980...5_005, using: &random), chance(80) ? 76 : 77)
        }
        let stream = broker.begin(
            board: reclaimed?.board,
            terms: terms,
            reclaiming: chance(97) ? reclaimed?.changeCount : nil,
            of: reclaimed?.epoch,
            from: peer
        )
        reclaiming.insert(Stream(peer: peer, id: stream))
        finishWrite(stream, of: peer, on: reclaimed?.board, adds: false, keepsPromises: false)
        return "reclaim"
    }

    private mutating func finishWrite(
        _ stream: UInt64,
        of peer: PeerID,
        on board: String?,
        adds: Bool,
        keepsPromises: Bool
    ) {
        let write = Stream(peer: peer, id: stream)
        writes.append(write)
        if !adds { boards[write] = board ?? BoardName.general }
        let count = keepsPromises ? 1 : Int.random(in: 0...3, using: &random)
        // An item that exists has the usual types already.
        let isNew = adds && chance(keepsPromises ? 20 : 90)
        let prefix = isNew ? "x\(Int.random(in: 0..<1_000, using: &random))." : ""
        for _ in 0..<count { addItem(to: stream, of: peer, prefix, isKept: keepsPromises && chance(95)) }
        if !chance(20) { broker.commit(chance(10) ? 9 : count, on: stream, from: peer) }
    }

    private mutating func terms() -> ContentTerms? {
        guard chance(25) else { return nil }
        return ContentTerms(
            concealed: chance(40) ? true : nil,
            transient: chance(30) ? true : nil,
            localOnly: chance(30) ? true : nil,
            expires: chance(30) ? .random(in: 0...60_000, using: &random) : nil,
            loads: chance(50) ? .random(in: 0...3, using: &random) : nil
        )
    }

    private mutating func addItem(to stream: UInt64, of peer: PeerID, _ prefix: String = "", isKept: Bool = false) {
        var representations: [Representation] = []
        for index in 0..<Int.random(in: 1...3, using: &random) {
            var representation = Representation(
                prefix + ["public.png", "public.utf8-plain-text", "com.example.x"][index],
                byteCount: chance(30) ? .random(in: 0...2_000, using: &random) : nil,
                kept: isKept || chance(30),
                visibility: namesTypes && chance(95)
                    ? .all : Visibility(rawValue: .random(in: 0...3, using: &random))
            )
            if chance(namesTypes ? 10 : 60), representation.provision != .kept { representation.policy = .onceAndKept }
            if chance(20) { representation.firstByteMilliseconds = .random(in: 0...20_000, using: &random) }
            representations.append(representation)
        }
        var item = Item(representations)
        item.requires = [Feature.onceAndKept.rawValue]
        broker.send(item, on: stream, from: peer)
        for representation in representations where representation.provision == .kept {
            // Many large ones would fill the pool, and then hardly any hand-over would succeed.
            let greatest = isKept ? 2_000 : 300_000
            let right = representation.byteCount.map { Int($0) } ?? .random(in: 0...greatest, using: &random)
            let count = chance(5) ? right + 1 : right
            if broker.passing.contains(peer), chance(30) {
                let sealed = ReceivedDescriptor.sealedMemory(byteCount: UInt64(count))
                broker.pass(chance(90) ? sealed : .readOnlyFile, kind: .data, on: stream, from: peer)
                continue
            }
            // The next item or the commit is a violation then.
            broker.data(count: count, last: !chance(1), on: stream, from: peer)
        }
    }

    private mutating func continueWrite() -> String {
        // To continue a write after its commit is a violation.
        let open = chance(5) ? writes : writes.filter { !committed.contains($0) }
        guard let write = open.randomElement(using: &random) else { return "nothing" }
        if chance(50) {
            addItem(to: write.id, of: write.peer)
        } else {
            broker.commit(1, on: write.id, from: write.peer)
        }
        return "continue a write"
    }

    private mutating func load(as peer: PeerID) -> String {
        let handle = chance(20) ? handles.randomElement(using: &random) : nil
        let board = self.board()
        let credit = UInt64.random(in: 0...(1 << UInt64.random(in: 0...63, using: &random)), using: &random)
        let item: UInt32 = chance(80) ? 0 : 1
        let maximum = chance(10) ? UInt64.random(in: 0...100_000, using: &random) : nil
        let isWelcome = chance(50)
        let timeout = chance(10) ? UInt64.random(in: 0...20_000, using: &random) : nil
        let stream = broker.newStream(of: peer)
        // The load is noted before it is sent, because it may end during the call.
        openLoads.insert(Stream(peer: peer, id: stream))
        var load = Load()
        load.handle = handle
        load.board = board
        load.item = item
        load.credit = credit
        load.maximumByteCount = maximum
        load.timeoutMilliseconds = timeout
        load.descriptorWelcome = isWelcome
        if chance(10) { load.isAutomatic = true }
        if namesTypes {
            let types = [
                "public.png", "public.utf8-plain-text", "com.example.x", "public.UTF8-plain-text", "public.text",
            ]
            for _ in 0..<(chance(90) ? 1 : 2) {
                let match = Match(rawValue: .random(in: 0...2, using: &random))
                load.accepts.append(Accept(types.randomElement(using: &random) ?? "", match: match))
            }
        }
        broker.send(load, on: stream, from: peer)
        return "load"
    }

    /// Continues a random ask of a source, usually correctly.
    private mutating func serve() -> String {
        guard let ask = asks.randomElement(using: &random) else { return "nothing" }
        let free = Int((broker.granted[ask.id] ?? 0) - (broker.moved[ask.id] ?? 0))
        // A descriptor for an ask that does not accept one would usually end the peer.
        if welcoming.contains(ask.id), chance(50) { return passDescriptor(for: ask) }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<28:
            let count = chance(50) ? free : Int.random(in: 0...max(0, free), using: &random)
            broker.data(count: min(count, 1 << 20), last: chance(30), on: ask.id, from: ask.peer)
            return "data"
        case 28..<32:
            let count = broker.moved[ask.id] ?? 0
            broker.send(End(byteCount: chance(20) ? count + 1 : count), on: ask.id, from: ask.peer)
            return "end"
        case 32..<34:
            broker.send(Failure(.sourceFailed, "no"), on: ask.id, from: ask.peer)
            return "source's error"
        case 34..<37:
            broker.send(Progress(), on: ask.id, from: ask.peer)
            return "progress"
        case 37..<39:
            let size = UInt64.random(in: 0...300_000, using: &random)
            broker.send(Answer(byteCount: size), on: ask.id, from: ask.peer)
            return "answer"
        default:
            broker.data(count: free + 1, on: ask.id, from: ask.peer)
            return "beyond the credit"
        }
    }

    private mutating func passDescriptor(for ask: Stream) -> String {
        let facts: [ReceivedDescriptor] = [.readOnlyFile, .sealedMemory(byteCount: 5_000), .unusable("a pipe")]
        var bytes: [UInt8] = []
        Answer(byteCount: .random(in: 0...6_000, using: &random)).encode(into: &bytes)
        let descriptor = facts.randomElement(using: &random)
        broker.pass(descriptor, kind: .answer, payload: bytes, on: ask.id, from: ask.peer)
        welcoming.remove(ask.id)
        return "a descriptor"
    }

    /// Cancels a write or a load, or grants credit.
    private mutating func steer() -> String {
        if chance(15), let write = writes.randomElement(using: &random) {
            broker.send(Cancel(), on: write.id, from: write.peer)
            return "cancel a write"
        }
        let loads = openLoads.sorted { ($0.peer.rawValue, $0.id) < ($1.peer.rawValue, $1.id) }
        guard let load = loads.randomElement(using: &random) else { return "nothing" }
        if chance(30) {
            openLoads.remove(load)
            endedLoads.insert(load)
            broker.send(Cancel(), on: load.id, from: load.peer)
            return "cancel a load"
        }
        broker.credit(.random(in: 0...(8 << 20), using: &random), on: load.id, from: load.peer)
        return "credit"
    }

    private mutating func ask(as peer: PeerID) -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: broker.clear(board(), from: peer)
        case 1:
            var list = List()
            list.board = board()
            broker.send(list, on: broker.newStream(of: peer), from: peer)
        default: broker.send(Status(), on: broker.newStream(of: peer), from: peer)
        }
        return "clear, list or status"
    }

    /// Watches, creates and removes boards.
    private mutating func useBoards(as peer: PeerID) -> String {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            broker.send(CreateBoard(), on: broker.newStream(of: peer), from: peer)
            return "create a board"
        case 1:
            var clear = Clear()
            clear.board = board()
            clear.removesBoard = true
            clear.requires = [Feature.boards.rawValue]
            broker.send(clear, on: broker.newStream(of: peer), from: peer)
            return "remove a board"
        case 2..<5: return watch(as: peer)
        default: return steerWatch()
        }
    }

    private mutating func watch(as peer: PeerID) -> String {
        let board = self.board()
        let since = chance(30) ? UInt64.random(in: 5_000...5_010, using: &random) : nil
        let credit = UInt64.random(in: 0...20, using: &random)
        let epochs: [UInt64?] = [nil, 76, 76, 77]
        let epoch = leavesContents && since != nil ? epochs.randomElement(using: &random) ?? nil : nil
        let stream = broker.watch(board, since: since, epoch: epoch, credit: credit, from: peer)
        watches.append((Stream(peer: peer, id: stream), credit, 0, 0))
        return "watch"
    }

    /// Grants credit for a watch or ends it, ends a created board, or lets a peer read its changes.
    private mutating func steerWatch() -> String {
        if chance(20) { broker.readsChanges.toggle() }
        for peer in peers where chance(50) { broker.continueChanges(for: peer) }
        // A change that has been sent belongs to a watch that is still open.
        listen()
        if chance(30), let board = createdBoards.randomElement(using: &random) {
            broker.send(Cancel(), on: board.stream.id, from: board.stream.peer)
            createdBoards.removeAll { $0.stream == board.stream }
            return "end a created board"
        }
        guard let index = watches.indices.randomElement(using: &random) else { return "nothing" }
        let watch = watches[index]
        if chance(20) {
            watches.remove(at: index)
            broker.send(Cancel(), on: watch.stream.id, from: watch.stream.peer)
            return "cancel a watch"
        }
        let credit = UInt64.random(in: 0...40, using: &random)
        watches[index].granted = max(watch.granted, credit)
        broker.credit(credit, on: watch.stream.id, from: watch.stream.peer)
        return "credit of a watch"
    }

    private mutating func hear(_ change: Change, on stream: Stream) {
        changesSeen += 1
        guard let index = watches.firstIndex(where: { $0.stream == stream }) else {
            return broken.append("a change came after the end of its watch")
        }
        watches[index].sent += 1
        // The counts of another epoch are lower.
        let count = change.epoch == 77 ? change.changeCount ?? 0 : watches[index].count
        if watches[index].sent > watches[index].granted { broken.append("a change came without credit") }
        if count < watches[index].count { broken.append("a change count has decreased from \(watches[index].count)") }
        watches[index].count = count
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

    private mutating func listen() {
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

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func board() -> String? {
        if let created = createdBoards.last, chance(10) { return created.name }
        return [nil, nil, nil, "one", "two", "three"].randomElement(using: &random) ?? nil
    }
}
