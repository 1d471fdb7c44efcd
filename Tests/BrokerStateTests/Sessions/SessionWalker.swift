import BrokerState
import PasteboardWire

/// Sources and destinations that do random things with drag sessions. A `SessionLedger` checks the frames that they are
/// sent.
struct SessionWalker {
    struct Stream: Hashable {
        let peer: PeerID
        let id: UInt64
    }

    private static let names = ["shelf", "list", "bin", "tray", "desk", "box"]

    var broker: StateHarness
    private(set) var ledger = SessionLedger()
    private var random: SplitMix64
    private var peers: [PeerID] = []
    private var destinations: [Stream] = []
    private var asks: [Stream] = []

    init(seed: UInt64) {
        self.random = SplitMix64(state: seed)
        self.broker = StateHarness { limits in
            limits.sessions = 20
            limits.sessionsPerProcess = 9
            limits.destinations = 8
            limits.destinationsPerProcess = 5
            limits.loadsPerConnection = 6
            limits.asksPerSource = 3
            limits.metadataPerSession = 2_000
            limits.objects = 2_000
        }
    }

    // MARK: One step

    /// Performs one random action, and returns its name.
    mutating func step() -> String {
        guard self.peers.count > 2, let peer = self.peers.randomElement(using: &self.random) else {
            return self.connect()
        }
        let action = self.act(as: peer)
        self.listen()
        return action
    }

    private mutating func act(as peer: PeerID) -> String {
        switch Int.random(in: 0..<202, using: &self.random) {
        case 0..<3: return self.connect()
        case 3..<4: return self.disconnect(peer)
        case 4..<11: return self.advance()
        case 11..<19: return self.register(as: peer)
        case 19..<20: return self.unregister()
        case 20..<35: return self.offer(as: peer)
        case 35..<41: return self.begin()
        case 41..<66: return self.move()
        case 66..<106: return self.propose()
        case 106..<128: return self.drop()
        case 128..<152: return self.load(as: peer)
        case 152..<176: return self.serve()
        case 176..<182: return self.perform()
        case 182..<190: return self.conclude()
        case 190..<195: return self.add()
        case 195..<196: return self.withdraw()
        case 196..<197: return self.leave()
        case 197..<199: return self.enter()
        case 199..<200: return self.exit()
        case 200..<201: return self.status(as: peer)
        default: return self.disturb(as: peer)
        }
    }

    private mutating func connect() -> String {
        guard self.peers.count < 7 else { return "nothing" }
        let process = UInt32.random(in: 1...3, using: &self.random)
        let peer = self.broker.connect(
            "p",
            process: process,
            dropReports: self.chance(50),
            role: self.chance(10) ? .link : nil
        )
        self.peers.append(peer)
        self.ledger.connected(peer, process: process)
        return "connect"
    }

    private mutating func disconnect(_ peer: PeerID) -> String {
        self.broker.disconnect(peer)
        self.forget(peer)
        return "disconnect"
    }

    private mutating func advance() -> String {
        let range: ClosedRange<UInt64> =
            switch Int.random(in: 0..<100, using: &self.random) {
            case 0..<70: 0...200
            case 70..<90: 300...700
            case 90..<96: 4_000...6_000
            case 96..<99: 20_000...40_000
            default: 290_000...400_000
            }
        self.broker.advance(by: .random(in: range, using: &self.random))
        return "advance"
    }

    private mutating func status(as peer: PeerID) -> String {
        self.broker.send(Status(), on: self.broker.newStream(of: peer), from: peer)
        return "status"
    }

    // MARK: Sources

    private mutating func items() -> [Item] {
        (0..<(self.chance(65) ? 1 : 2)).map { _ in
            let types = ["public.utf8-plain-text", "public.png", "com.example.x"].shuffled(using: &self.random)
            return Item(
                types.prefix(Int.random(in: 1...3, using: &self.random)).enumerated().map { index, type in
                    // Within its process, the ledger treats each item as visible, even to a link. A link does not see
                    // visibility 1, so the first representation never has it.
                    let visibilities: [Visibility] = index == 0 ? [0, 2, 3] : [0, 1, 2, 3]
                    let visibility = self.chance(20) ? visibilities.randomElement(using: &self.random) : 0
                    return Representation(type, visibility: visibility)
                }
            )
        }
    }

    private mutating func offer(as peer: PeerID) -> String {
        var drag = Drag()
        drag.allowsMove = self.chance(80)
        drag.movesBetweenProcesses = self.chance(60)
        drag.isRestricted = self.chance(15)
        let stream = self.broker.newStream(of: peer)
        let items = self.items()
        self.ledger.opened(Stream(peer: peer, id: stream), items: items.count, drag)
        self.broker.send(drag, on: stream, from: peer)
        for item in items { self.broker.send(item, on: stream, from: peer) }
        if !self.chance(5) { self.broker.commit(items.count, on: stream, from: peer) }
        if self.chance(70) {
            self.ledger.begun(Stream(peer: peer, id: stream))
            self.broker.send(Begin(), on: stream, from: peer)
        }
        return "offer"
    }

    private mutating func begin() -> String {
        guard let drag = self.ledger.drags(isBegun: false).randomElement(using: &self.random) else { return "nothing" }
        self.broker.send(Begin(), on: drag.id, from: drag.peer)
        self.ledger.begun(drag)
        return "begin"
    }

    private mutating func source() -> Stream? {
        let held = self.ledger.drags(isBegun: true)
        let undropped = held.filter { !self.ledger.isDropped($0) }
        return (self.chance(90) ? undropped : held).randomElement(using: &self.random)
    }

    private mutating func move() -> String {
        guard let drag = self.source() else { return "nothing" }
        let name = self.chance(5) ? "nowhere" : Self.names.randomElement(using: &self.random)
        self.broker.move(
            drag.id,
            to: self.chance(8) ? nil : name,
            row: .random(in: 0...9, using: &self.random),
            sequence: self.chance(5) ? .max : .random(in: 0...100, using: &self.random),
            from: drag.peer
        )
        return "move"
    }

    private mutating func drop() -> String {
        let accepted = self.ledger.accepted
        guard let drag = self.chance(95) ? accepted.randomElement(using: &self.random) : self.source() else {
            return "nothing"
        }
        self.broker.send(Drop(), on: drag.id, from: drag.peer)
        return "drop"
    }

    private mutating func add() -> String {
        guard let drag = self.source(), let handle = self.ledger.handle(of: drag) else { return "nothing" }
        let stream = self.broker.newStream(of: drag.peer)
        let items = self.items()
        self.ledger.adding(items.count, on: Stream(peer: drag.peer, id: stream), to: handle)
        var addition = Drag()
        addition.handle = handle
        self.broker.send(addition, on: stream, from: drag.peer)
        for item in items { self.broker.send(item, on: stream, from: drag.peer) }
        self.broker.commit(items.count, on: stream, from: drag.peer)
        return "add"
    }

    private mutating func withdraw() -> String {
        guard let drag = self.source() else { return "nothing" }
        self.ledger.cancelled(drag: drag)
        self.broker.send(Cancel(), on: drag.id, from: drag.peer)
        return "withdraw"
    }

    /// Continues a random ask of a source, usually correctly.
    private mutating func serve() -> String {
        guard let ask = self.asks.randomElement(using: &self.random) else { return "nothing" }
        if self.chance(5) {
            self.broker.send(Failure(.sourceFailed, "no"), on: ask.id, from: ask.peer)
            return "source's error"
        }
        self.broker.data([1, 2, 3], last: self.chance(85), on: ask.id, from: ask.peer)
        return "data"
    }

    // MARK: Destinations

    private mutating func register(as peer: PeerID) -> String {
        let stream = self.broker.newStream(of: peer)
        self.destinations.append(Stream(peer: peer, id: stream))
        var destination = Destination()
        destination.name = Self.names.randomElement(using: &self.random) ?? ""
        destination.isOwnProcess = self.chance(15)
        destination.allowsSimultaneousSessions = self.chance(60)
        if self.chance(40) { destination.accepts = [Accept("public.text"), Accept("public.image")] }
        self.broker.send(destination, on: stream, from: peer)
        return "register"
    }

    private mutating func unregister() -> String {
        guard let index = self.destinations.indices.randomElement(using: &self.random) else { return "nothing" }
        let destination = self.destinations.remove(at: index)
        self.ledger.unregistered(destination)
        self.broker.send(Cancel(), on: destination.id, from: destination.peer)
        return "unregister"
    }

    private mutating func propose() -> String {
        guard let destinationSession = self.ledger.destinationSessions(.asked).randomElement(using: &self.random) else {
            return "nothing"
        }
        let sequence = self.ledger.answered(destinationSession)
        let declines = self.chance(6)
        if declines { self.ledger.isOutside(destinationSession) }
        let operation = [2, 2, 3, 3, 3, 0, 1, 9].randomElement(using: &self.random) ?? 0
        self.broker.propose(
            DropOperation(rawValue: UInt32(operation)),
            to: sequence,
            on: destinationSession.id,
            from: destinationSession.peer
        ) {
            $0.cannotHandle = declines
        }
        return "propose"
    }

    private mutating func perform() -> String {
        guard let destinationSession = self.ledger.destinationSessions(.dropped).randomElement(using: &self.random)
        else { return "nothing" }
        var performed = Performed()
        if self.chance(5) { performed.failure = Failure(.refused, "no") }
        if self.chance(20) { performed.items = [0, 1, .max] }
        self.ledger.took(performed.items, performed.failure, destinationSession)
        self.broker.send(performed, on: destinationSession.id, from: destinationSession.peer)
        return "performed"
    }

    private mutating func conclude() -> String {
        guard let destinationSession = self.ledger.destinationSessions(.dropped).randomElement(using: &self.random)
        else { return "nothing" }
        var conclude = Conclude()
        if self.chance(5) { conclude.failure = Failure(.refused, "no") }
        if self.chance(20) { conclude.items = [1, 2] }
        self.ledger.took(conclude.items, conclude.failure, destinationSession)
        self.ledger.concluded(destinationSession, conclude.failure)
        self.broker.send(conclude, on: destinationSession.id, from: destinationSession.peer)
        return "conclude"
    }

    private mutating func load(as peer: PeerID) -> String {
        var handle = self.ledger.handles.randomElement(using: &self.random)
        var peer = peer
        if self.chance(90),
            let destinationSession = self.ledger.destinationSessions(.dropped).randomElement(using: &self.random)
        {
            handle = self.ledger.handle(of: destinationSession)
            peer = destinationSession.peer
        }
        guard let handle else { return "nothing" }
        let stream = self.broker.newStream(of: peer)
        var load = Load()
        load.handle = handle
        load.item = .random(in: 0...(self.chance(90) ? 1 : 4), using: &self.random)
        load.credit = 1 << 20
        if self.chance(10) { load.timeoutMilliseconds = .random(in: 1...2_000, using: &self.random) }
        self.ledger.loading(load.item ?? 0, of: handle, on: Stream(peer: peer, id: stream))
        self.broker.send(load, on: stream, from: peer)
        if self.chance(5) {
            self.ledger.cancelled(load: Stream(peer: peer, id: stream))
            self.broker.send(Cancel(), on: stream, from: peer)
        }
        return "load"
    }

    private mutating func leave() -> String {
        guard let destinationSession = self.ledger.destinationSessions(.any).randomElement(using: &self.random) else {
            return "nothing"
        }
        self.ledger.cancelled(destinationSession: destinationSession)
        self.broker.send(Cancel(), on: destinationSession.id, from: destinationSession.peer)
        return "leave"
    }

    private mutating func exit() -> String {
        guard let destinationSession = self.ledger.destinationSessions(.any).randomElement(using: &self.random) else {
            return "nothing"
        }
        self.ledger.isOutside(destinationSession)
        self.broker.send(Exit(), on: destinationSession.id, from: destinationSession.peer)
        return "exit"
    }

    private mutating func enter() -> String {
        guard let destination = self.destinations.randomElement(using: &self.random),
            let handle = self.ledger.handles.randomElement(using: &self.random)
        else { return "nothing" }
        var enter = Enter()
        enter.handle = handle
        self.broker.send(enter, on: destination.id, from: destination.peer)
        return "enter"
    }

    /// Sends invalid frames.
    private mutating func disturb(as peer: PeerID) -> String {
        let kinds: [FrameKind] = [
            .begin, .move, .drop, .performed, .conclude, .enter, .exit, .proposal, .cancel, .commit, .item, .end,
            .progress,
            .error,
            .session, .update, .data,
        ]
        let mine = self.ledger.streams(of: peer) + self.destinations.filter { $0.peer == peer }.map(\.id)
        let stream = mine.randomElement(using: &self.random) ?? 1
        let kind = kinds.randomElement(using: &self.random) ?? .begin
        self.ledger.disturbed(Stream(peer: peer, id: stream), by: kind)
        self.broker.raw(kind: kind.rawValue, on: stream, from: peer)
        return "\(kind) on \(stream)"
    }

    // MARK: Results

    private mutating func listen() {
        let everybody = self.peers
        var received: [(PeerID, [Frame])] = everybody.map { ($0, self.broker.take($0)) }
        for peer in everybody where self.broker.closed.contains(peer) { self.forget(peer) }
        // Loads come first: a source must not be notified of the end before its destination.
        for index in received.indices {
            let (peer, frames) = received[index]
            for frame in frames where self.ledger.isLoad(frame, of: peer) {
                self.ledger.receivedOfLoad(frame, by: peer)
            }
            received[index].1.removeAll { self.ledger.isLoad($0, of: peer) }
        }
        for (peer, frames) in received where self.peers.contains(peer) {
            for frame in frames {
                let stream = Stream(peer: peer, id: frame.stream)
                switch frame.kind {
                case .ask: self.asks.append(stream)
                case .cancel: self.asks.removeAll { $0 == stream }
                default: self.ledger.received(frame, on: stream)
                }
            }
        }
    }

    private mutating func forget(_ peer: PeerID) {
        self.peers.removeAll { $0 == peer }
        self.destinations.removeAll { $0.peer == peer }
        self.asks.removeAll { $0.peer == peer }
        self.ledger.forget(peer)
    }

    func brokenRules() -> [String] {
        self.ledger.broken + self.broker.brokenInvariants()
    }

    /// Ends all sessions by their time limits, and then disconnects all peers.
    mutating func finish() {
        for _ in 0..<30 {
            self.broker.advance(by: 30_000)
            self.listen()
        }
        self.ledger.checkAllEnded()
        for peer in self.peers { self.broker.disconnect(peer) }
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self.random) < percent
    }
}
