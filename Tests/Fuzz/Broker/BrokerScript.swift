import BrokerModel
import BrokerState
import PasteboardWire

/// Reads an input as the actions of several peers: connections, frames, deliveries, time steps and disconnections. When
/// all peers are gone and all boards are cleared, nothing may be charged to anybody.
struct BrokerScript {
    struct Peer {
        let id: PeerID
        /// The streams that it has opened, and those that the broker has opened.
        var own: [UInt64] = []
        var heard: [UInt64] = []
        var nextStream: UInt64 = 1
        /// The destination session that was asked for a proposal last, and the number of the question.
        var question: (stream: UInt64, sequence: UInt64)?
    }

    static let requests: [FrameKind] = [
        .write, .load, .list, .clear, .status, .drag, .destination, .wait, .load, .write,
    ]
    static let continuing: [FrameKind] = [
        .item, .commit, .begin, .move, .drop, .cancel, .credit, .enter, .item, .commit, .move, .error,
    ]
    static let answering: [FrameKind] = [
        .answer, .end, .error, .progress, .performed, .conclude, .exit, .proposal, .end, .proposal, .performed,
    ]

    let broker: StateHarness
    var maker: MessageMaker
    var peers: [Peer] = []

    init(_ bytes: [UInt8]) {
        maker = MessageMaker(input: FuzzInput(bytes))
        let form = maker.input.byte()
        broker = StateHarness(reportingTo: { fault($0) }) { $0 = Self.limits(form) }
        broker.readsReports = false
        broker.readsChanges = false
    }

    private static func limits(_ form: UInt8) -> BrokerLimits {
        var limits = BrokerLimits()
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
        return limits
    }

    mutating func run() {
        while !maker.input.isEmpty { step() }
        finish()
    }

    // MARK: One step

    private mutating func step() {
        let action = maker.input.byte()
        guard !peers.isEmpty else { return connect() }
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
        case 41: if maker.input.choice(8) == 0 { broker.drain() }
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

    /// Disconnects all peers, clears the boards, and checks that nothing is held.
    private mutating func finish() {
        for peer in peers { broker.disconnect(peer.id) }
        guard !broker.isDraining else {
            broker.endDraining()
            let held = broker.held
            return check(held.peers + held.loads + held.writes + held.sessions + held.waits == 0, "\(held) at the end")
        }
        let cleaner = broker.connectSilently(process: 99)
        check(broker.isConnected(cleaner), "a broker without peers refuses a connection")
        var encoder = FrameEncoder()
        encoder.append(Hello(), stream: 0)
        encoder.append(Status(), stream: 1)
        broker.sendBytes(encoder.bytes, from: cleaner)
        broker.continueReport(for: cleaner)
        encoder.removeAll()
        var stream: UInt64 = 3
        for frame in broker.take(cleaner) where frame.kind == .statusEntry {
            guard let board = frame.decode(StatusEntry.self).board?.name else { continue }
            var clear = Clear()
            clear.board = board
            encoder.append(clear, stream: stream)
            stream += 2
        }
        broker.sendBytes(encoder.bytes, from: cleaner)
        broker.disconnect(cleaner)
        check(broker.held == .nothing, "\(broker.held) at the end")
        check(broker.openMemory == 0, "\(broker.openMemory) kept representations are open at the end")
    }
}
