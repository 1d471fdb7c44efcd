import BrokerState
import PasteboardWire

/// Peers that send frames of any kind with any fields, and exchanges of frames that belong together.
struct FrameWalk: WalkPart {
    struct Peer {
        let id: PeerID
        /// The streams that it has opened, and those that the broker has opened.
        var own: [UInt64] = []
        var heard: [UInt64] = []
        /// The destination session that was asked for a proposal last, and the number of the question.
        var question: (stream: UInt64, sequence: UInt64)?
    }

    static let requests: [FrameKind] = [
        .write, .load, .list, .clear, .status, .drag, .destination, .load, .write,
    ]
    static let continuing: [FrameKind] = [
        .item, .commit, .begin, .move, .drop, .cancel, .credit, .item, .commit, .move, .error,
    ]
    static let answering: [FrameKind] = [
        .answer, .end, .error, .progress, .performed, .conclude, .exit, .proposal, .end, .proposal, .performed,
    ]

    let broker: StateHarness
    var maker: MessageMaker
    var peers: [Peer] = []
    private var kinds: Set<FrameKind> = []

    /// Whether no other peers use the broker. Otherwise these ones do not end it.
    let isAlone: Bool
    /// Most peers are soon disconnected, because they violate the protocol. An input can connect others, a seed would
    /// seldom do it.
    private let leastPeers: Int

    init(_ broker: StateHarness, _ choices: Choices, isAlone: Bool = true) {
        self.broker = broker
        self.isAlone = isAlone
        leastPeers = choices.isInput ? 1 : 3
        maker = MessageMaker(input: choices)
        guard isAlone else { return }
        broker.readsReports = false
        broker.readsChanges = false
    }

    /// - Parameter form: the sum of 1 for small limits, 2 for small windows, and 4 for an exit of the idle broker.
    static func set(_ limits: inout BrokerLimits, form: UInt8) {
        limits.connections = 8
        limits.connectionsPerProcess = 4
        if form & 1 != 0 {
            limits.loadsPerConnection = 12
            limits.waitingPerSource = 5
            limits.boards = 3
            limits.objects = 600
            limits.metadata = 20_000
            limits.keptPool = 1 << 20
            limits.passedDescriptors = 3
            limits.controlPool = 200_000
            limits.destinationsPerProcess = 3
            limits.sessionsPerProcess = 3
        }
        limits.transferPool = form & 2 == 0 ? 64 << 20 : 2 << 20
        limits.idleExit = form & 4 == 0 ? 0 : 60_000
    }

    // MARK: One step

    /// Chooses an action by its number. Single frames seldom fit the state of a peer, so a seed chooses exchanges of
    /// several frames more often than an input, which can repeat what it has learned.
    private func action() -> UInt8 {
        let exchanges: [ClosedRange<UInt8>] = [42...49, 50...57, 50...57, 170...179, 252...255, 26...37]
        guard !maker.input.isInput, maker.input.chance(75) else { return maker.input.byte() }
        return maker.input.number(in: maker.input.element(of: exchanges) ?? 0...255)
    }

    mutating func step() -> String {
        let action = self.action()
        guard peers.count >= leastPeers else {
            connect()
            return "connect"
        }
        let index = maker.input.choice(peers.count)
        let peer = peers[index].id
        switch action {
        case 0..<8: connect()
        case 8..<12: broker.disconnect(peer)
        case 12..<20: broker.advance(by: maker.input.number() & 0xFFFF)
        case 20: broker.isMemoryFull.toggle()
        case 21: broker.refusesDescriptors.toggle()
        case 22..<26: broker.deliversAtOnce.toggle()
        case 26..<34: for peer in peers { broker.deliver(to: peer.id) }
        case 34..<38: broker.continueReport(for: peer, pieces: 1)
        case 38:
            let count = Int(maker.input.number() & 0x3FFFF)
            broker.unread(count, of: peer, isHeldUp: maker.input.flag(), hasRead: maker.input.flag())
        case 39: broker.partial(Int(maker.input.number() & 0x1FFFF), of: peer)
        case 40: broker.stopReading(peer)
        case 41: if maker.input.choice(8) == 0, isAlone { broker.drain() }
        case 42..<50: publish(index)
        case 50..<53: drag(index)
        case 53..<58: drop(from: peer, at: peers[maker.input.choice(peers.count)].id)
        case 58..<62: for _ in 0..<maker.input.choice(40) { send(.load, repeating: true, as: index) }
        case 62..<120: send(Self.requests[maker.input.choice(Self.requests.count)], as: index)
        case 120..<170: send(Self.continuing[maker.input.choice(Self.continuing.count)], as: index)
        case 170..<180: serve(index)
        case 180..<215: send(Self.answering[maker.input.choice(Self.answering.count)], as: index)
        case 215..<235: sendData(as: index)
        case 235..<245: pass(as: index)
        case 252...255: useBoards(index)
        default: disturb(as: index)
        }
        listen()
        return "frame action \(action)"
    }

    private mutating func connect() {
        let peer = broker.connectSilently(process: UInt32(1 + maker.input.choice(4)))
        guard broker.isConnected(peer) else { return }
        peers.append(Peer(id: peer))
        guard maker.input.choice(16) != 0 else { return }
        send(.hello, maker.hello().encoded, on: 0, as: peers.count - 1)
        listen()
    }

    // MARK: Received frames

    mutating func listen() {
        for index in peers.indices {
            for frame in broker.take(peers[index].id) { hear(frame, at: index) }
        }
        peers.removeAll { !broker.isConnected($0.id) }
    }

    private mutating func hear(_ frame: Frame, at index: Int) {
        kinds.insert(frame.kind)
        switch frame.kind {
        case .ask: hear(stream: frame.stream, at: index)
        case .session:
            hear(stream: frame.stream, at: index)
            if let handle = frame.decode(Session.self).handle { hear(handle: handle) }
        case .committed: if let handle = frame.decode(Committed.self).handle { hear(handle: handle) }
        case .contents: if let handle = frame.decode(Contents.self).handle { hear(handle: handle) }
        case .enter: peers[index].question = (frame.stream, frame.decode(Enter.self).sequence ?? 0)
        case .update: peers[index].question = (frame.stream, frame.decode(Update.self).sequence ?? 0)
        case .perform: peers[index].question?.stream = frame.stream
        default: break
        }
    }

    private mutating func hear(stream: UInt64, at index: Int) {
        if peers[index].heard.count > 20 { peers[index].heard.removeFirst() }
        peers[index].heard.append(stream)
    }

    private mutating func hear(handle: UInt64) {
        if maker.handles.count > 20 { maker.handles.removeFirst() }
        maker.handles.append(handle)
    }

    // MARK: The end

    mutating func finish() {
        for peer in peers { broker.disconnect(peer.id) }
    }

    // The harness checks the frames, and the walker the invariants.
    var broken: [String] { [] }
    var missing: [String] {
        let drops = isAlone ? [FrameKind.proposal, .perform, .transferred].filter { !kinds.contains($0) } : []
        return tooFew([("kinds of frames to peers", kinds.count, 10)]) + drops.map { "no \($0)" }
    }
}
