import BrokerState
import PasteboardWire

/// Sources and destinations that do random things with drag sessions. A `SessionLedger` checks the frames that they are
/// sent.
struct SessionWalk: WalkPart {
    private static let names = ["shelf", "list", "bin", "tray", "desk", "box"]

    let broker: StateHarness
    private(set) var ledger = SessionLedger()
    private let choices: Choices
    private var peers: [PeerID] = []
    private var destinations: [WalkStream] = []
    private var asks: [WalkStream] = []

    init(_ broker: StateHarness, _ choices: Choices) {
        self.broker = broker
        self.choices = choices
    }

    static func set(_ limits: inout BrokerLimits) {
        limits.sessions = 20
        limits.sessionsPerProcess = 9
        limits.destinations = 8
        limits.destinationsPerProcess = 5
        limits.loadsPerConnection = 6
        limits.asksPerSource = 3
        limits.metadataPerSession = 2_000
        limits.objects = 2_000
    }

    // MARK: One step

    /// Performs one random action, and returns its name.
    mutating func step() -> String {
        // The steps of other parts may have caused frames.
        listen()
        guard peers.count > 2, let peer = choices.element(of: peers) else {
            return connect()
        }
        let action = act(as: peer)
        listen()
        return action
    }

    private mutating func act(as peer: PeerID) -> String {
        switch choices.number(in: 0..<202) {
        case 0..<3: return connect()
        case 3..<4: return disconnect(peer)
        case 4..<11: return advance()
        case 11..<19: return register(as: peer)
        case 19..<20: return unregister()
        case 20..<35: return offer(as: peer)
        case 35..<41: return begin()
        case 41..<66: return move()
        case 66..<106: return propose()
        case 106..<128: return drop()
        case 128..<152: return load(as: peer)
        case 152..<176: return serve()
        case 176..<182: return perform()
        case 182..<190: return conclude()
        case 190..<195: return add()
        case 195..<196: return withdraw()
        case 196..<197: return leave()
        case 197..<200: return exit()
        case 200..<201: return status(as: peer)
        default: return disturb(as: peer)
        }
    }

    private mutating func connect() -> String {
        guard peers.count < 7 else { return "nothing" }
        let process = (choices.number(in: 1...3) as UInt32)
        let peer = broker.connect(
            "p",
            process: process,
            dropReports: chance(50),
            role: chance(10) ? .link : nil
        )
        guard broker.isConnected(peer) else { return "connect in vain" }
        peers.append(peer)
        ledger.connected(peer, process: process)
        return "connect"
    }

    private mutating func disconnect(_ peer: PeerID) -> String {
        broker.disconnect(peer)
        forget(peer)
        return "disconnect"
    }

    private mutating func advance() -> String {
        let range: ClosedRange<UInt64> =
            switch choices.number(in: 0..<100) {
            case 0..<70: 0...200
            case 70..<90: 300...700
            case 90..<96: 4_000...6_000
            case 96..<99: 20_000...40_000
            default: 290_000...400_000
            }
        broker.advance(by: choices.number(in: range))
        return "advance"
    }

    private mutating func status(as peer: PeerID) -> String {
        broker.send(Status(), on: broker.newStream(of: peer), from: peer)
        return "status"
    }

    // MARK: Sources

    private mutating func items() -> [Item] {
        (0..<(chance(65) ? 1 : 2)).map { _ in
            let types = choices.reordered(["public.utf8-plain-text", "public.png", "com.example.x"])
            return Item(
                types.prefix(choices.number(in: 1...3)).enumerated().map { index, type in
                    // Within its process, the ledger treats each item as visible, even to a link. A link sees only
                    // visibility 0, so the first representation always has it.
                    let visibilities: [Visibility] = index == 0 ? [0] : [0, 1, 2, 3]
                    let visibility = chance(20) ? choices.element(of: visibilities) : 0
                    return Representation(type, visibility: visibility)
                }
            )
        }
    }

    private mutating func offer(as peer: PeerID) -> String {
        var drag = Drag()
        drag.allowsMove = chance(80)
        drag.movesBetweenProcesses = chance(60)
        drag.isRestricted = chance(15)
        let stream = broker.newStream(of: peer)
        let items = self.items()
        ledger.opened(WalkStream(peer: peer, id: stream), items: items.count, drag)
        broker.send(drag, on: stream, from: peer)
        for item in items { broker.send(item, on: stream, from: peer) }
        if !chance(5) { broker.commit(items.count, on: stream, from: peer) }
        if chance(70) {
            ledger.begun(WalkStream(peer: peer, id: stream))
            broker.send(Begin(), on: stream, from: peer)
        }
        return "offer"
    }

    private mutating func begin() -> String {
        guard let drag = choices.element(of: ledger.drags(isBegun: false)) else { return "nothing" }
        broker.send(Begin(), on: drag.id, from: drag.peer)
        ledger.begun(drag)
        return "begin"
    }

    /// - Parameter percent: how often a session counts that must not be moved or dropped now.
    private mutating func source(orBusy percent: Int = 10) -> WalkStream? {
        let held = ledger.drags(isBegun: true)
        let free = held.filter { ledger.isFree($0) }
        return choices.element(of: (chance(percent) ? held : free))
    }

    private mutating func move() -> String {
        // Before the answer to the last move, and after the drop, it is a violation.
        guard let drag = source(orBusy: 1) else { return "nothing" }
        let name = chance(5) ? "nowhere" : choices.element(of: Self.names)
        broker.move(
            drag.id,
            to: chance(8) ? nil : name,
            row: choices.number(in: 0...9),
            sequence: chance(5) ? .max : choices.number(in: 0...100),
            from: drag.peer
        )
        ledger.moved(drag)
        return "move"
    }

    private mutating func drop() -> String {
        let accepted = ledger.accepted
        guard let drag = chance(95) ? choices.element(of: accepted) : source(orBusy: 1) else {
            return "nothing"
        }
        broker.send(Drop(), on: drag.id, from: drag.peer)
        return "drop"
    }

    private mutating func add() -> String {
        guard let drag = source(), let handle = ledger.handle(of: drag) else { return "nothing" }
        let stream = broker.newStream(of: drag.peer)
        let items = self.items()
        ledger.adding(items.count, on: WalkStream(peer: drag.peer, id: stream), to: handle)
        var addition = Drag()
        addition.handle = handle
        broker.send(addition, on: stream, from: drag.peer)
        for item in items { broker.send(item, on: stream, from: drag.peer) }
        broker.commit(items.count, on: stream, from: drag.peer)
        return "add"
    }

    private mutating func withdraw() -> String {
        guard let drag = source() else { return "nothing" }
        ledger.cancelled(drag: drag)
        broker.send(Cancel(), on: drag.id, from: drag.peer)
        return "withdraw"
    }

    /// Continues a random ask of a source, usually correctly.
    private mutating func serve() -> String {
        guard let ask = choices.element(of: asks) else { return "nothing" }
        if chance(5) {
            broker.send(Failure(.sourceFailed, "no"), on: ask.id, from: ask.peer)
            return "source's error"
        }
        broker.data([1, 2, 3], last: chance(85), on: ask.id, from: ask.peer)
        return "data"
    }

    // MARK: Destinations

    private mutating func register(as peer: PeerID) -> String {
        let stream = broker.newStream(of: peer)
        destinations.append(WalkStream(peer: peer, id: stream))
        var destination = Destination()
        destination.name = choices.element(of: Self.names) ?? ""
        destination.isOwnProcess = chance(15)
        destination.allowsSimultaneousSessions = chance(60)
        if chance(40) { destination.accepts = [Accept("public.text"), Accept("public.image")] }
        broker.send(destination, on: stream, from: peer)
        return "register"
    }

    private mutating func unregister() -> String {
        guard let index = choices.element(of: destinations.indices) else { return "nothing" }
        let destination = destinations.remove(at: index)
        ledger.unregistered(destination)
        broker.send(Cancel(), on: destination.id, from: destination.peer)
        return "unregister"
    }

    private mutating func propose() -> String {
        guard let destinationSession = choices.element(of: ledger.destinationSessions(.asked)) else {
            return "nothing"
        }
        let sequence = ledger.answered(destinationSession)
        let declines = chance(6)
        if declines { ledger.isOutside(destinationSession) }
        let operation = choices.element(of: [2, 2, 3, 3, 3, 0, 1, 9]) ?? 0
        broker.propose(
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
        guard let destinationSession = choices.element(of: ledger.destinationSessions(.dropped))
        else { return "nothing" }
        var performed = Performed()
        if chance(5) { performed.failure = Failure(.refused, "no") }
        if chance(20) { performed.items = [0, 1, .max] }
        ledger.took(performed.items, performed.failure, destinationSession)
        broker.send(performed, on: destinationSession.id, from: destinationSession.peer)
        return "performed"
    }

    private mutating func conclude() -> String {
        guard let destinationSession = choices.element(of: ledger.destinationSessions(.dropped))
        else { return "nothing" }
        var conclude = Conclude()
        if chance(5) { conclude.failure = Failure(.refused, "no") }
        if chance(20) { conclude.items = [1, 2] }
        ledger.took(conclude.items, conclude.failure, destinationSession)
        ledger.concluded(destinationSession, conclude.failure)
        broker.send(conclude, on: destinationSession.id, from: destinationSession.peer)
        return "conclude"
    }

    private mutating func load(as peer: PeerID) -> String {
        var handle = choices.element(of: ledger.handles)
        var peer = peer
        if chance(90),
            let destinationSession = choices.element(of: ledger.destinationSessions(.dropped))
        {
            handle = ledger.handle(of: destinationSession)
            peer = destinationSession.peer
        }
        guard let handle else { return "nothing" }
        let stream = broker.newStream(of: peer)
        var load = Load()
        load.handle = handle
        load.item = choices.number(in: 0...(chance(90) ? 1 : 4))
        load.credit = 1 << 20
        if chance(10) { load.timeoutMilliseconds = choices.number(in: 1...2_000) }
        ledger.loading(load.item ?? 0, of: handle, on: WalkStream(peer: peer, id: stream))
        broker.send(load, on: stream, from: peer)
        if chance(5) {
            ledger.cancelled(load: WalkStream(peer: peer, id: stream))
            broker.send(Cancel(), on: stream, from: peer)
        }
        return "load"
    }

    private mutating func leave() -> String {
        guard let destinationSession = choices.element(of: ledger.destinationSessions(.any)) else {
            return "nothing"
        }
        ledger.cancelled(destinationSession: destinationSession)
        broker.send(Cancel(), on: destinationSession.id, from: destinationSession.peer)
        return "leave"
    }

    private mutating func exit() -> String {
        guard let destinationSession = choices.element(of: ledger.destinationSessions(.any)) else {
            return "nothing"
        }
        ledger.isOutside(destinationSession)
        broker.send(Exit(), on: destinationSession.id, from: destinationSession.peer)
        return "exit"
    }

    /// Sends invalid frames.
    private mutating func disturb(as peer: PeerID) -> String {
        let kinds: [FrameKind] = [
            .begin, .move, .drop, .performed, .conclude, .exit, .proposal, .cancel, .commit, .item, .end,
            .progress,
            .error,
            .session, .update, .data,
        ]
        let mine = ledger.streams(of: peer) + destinations.filter { $0.peer == peer }.map(\.id)
        let stream = choices.element(of: mine) ?? 1
        let kind = choices.element(of: kinds) ?? .begin
        ledger.disturbed(WalkStream(peer: peer, id: stream), by: kind)
        broker.raw(kind: kind.rawValue, on: stream, from: peer)
        return "\(kind) on \(stream)"
    }

    // MARK: Results

    private mutating func listen() {
        let everybody = peers
        var received: [(PeerID, [Frame])] = everybody.map { ($0, broker.take($0)) }
        for peer in everybody where broker.closed.contains(peer) { forget(peer) }
        // Loads end first: a source must not be notified of the end before its destination.
        for index in received.indices {
            let (peer, frames) = received[index]
            for frame in frames where ledger.isLoad(frame, of: peer) {
                ledger.receivedOfLoad(frame, by: peer)
            }
            received[index].1.removeAll { ledger.isLoad($0, of: peer) }
        }
        for (peer, frames) in received where peers.contains(peer) {
            for frame in frames {
                let stream = WalkStream(peer: peer, id: frame.stream)
                switch frame.kind {
                case .ask: asks.append(stream)
                case .cancel: asks.removeAll { $0 == stream }
                default: ledger.received(frame, on: stream)
                }
            }
        }
    }

    private mutating func forget(_ peer: PeerID) {
        peers.removeAll { $0 == peer }
        destinations.removeAll { $0.peer == peer }
        asks.removeAll { $0.peer == peer }
        ledger.forget(peer)
    }

    var broken: [String] { ledger.broken }
    var missing: [String] { tooFew([("drops", ledger.performs, 1)]) }

    /// Ends all sessions by their time limits, and then disconnects all peers.
    mutating func finish() {
        for _ in 0..<30 {
            broker.advance(by: 30_000)
            listen()
        }
        ledger.checkAllEnded()
        for peer in peers { broker.disconnect(peer) }
    }

    private func chance(_ percent: Int) -> Bool { choices.chance(percent) }
}
