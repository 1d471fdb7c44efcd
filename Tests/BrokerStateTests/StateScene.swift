import BrokerModel
import BrokerState
import PasteboardWire

/// A broker with one peer whose stream is in a state of the tables of `Protocol.md`.
struct StateScene {
    /// The frames that the other peers were sent, and all charges.
    struct Effect: Equatable {
        var frames: [String]
        var held: BrokerState.Held
    }

    let broker: StateHarness
    let peer: PeerID
    let stream: UInt64
    private let others: [PeerID]
    private let before: BrokerState.Held

    /// - Parameters:
    ///   - sort: the first cell of the table's header.
    ///   - state: the column.
    init(_ sort: String, _ state: String) {
        var scene = DragScene(dropReports: true)
        let broker = scene.broker
        let other = broker.connect("other")
        var peer = scene.source
        var stream: UInt64 = 0
        switch (sort, state) {
        case ("on a request", "items"): stream = broker.begin(from: peer)
        case ("on a request", "bytes"):
            stream = broker.begin(from: peer)
            broker.send(Item([Representation("a", kept: true)]), on: stream, from: peer)
        case ("on a request", "publication"):
            stream = broker.write([Item("a")], from: peer)
            // The load ends with the promise.
            broker.load(from: other)
        case ("on a request", "load"):
            broker.promise("a", from: other)
            stream = broker.load(from: peer, credit: 10)
        case ("on a request", "destination"): (peer, stream) = (scene.destination, scene.shelf)
        case ("on a request", "watching"): stream = broker.watch(from: peer)
        case ("on a request", "other"): stream = broker.createBoard(from: peer).stream
        case ("on a request", "list"):
            broker.write((0..<WireLimits.items).map { _ in Item("a") }, from: peer)
            broker.readsReports = false
            stream = broker.newStream(of: peer)
            broker.send(List(), on: stream, from: peer)
        case ("on a request", "ended"):
            stream = broker.newStream(of: peer)
            broker.send(List(), on: stream, from: peer)
        case ("on a request", let state):
            if state == "offered" { scene.offer() }
            if state == "tracking" { scene.begin() }
            if state == "dropped" { scene.dropped(.copy) }
            stream = scene.drag
        case ("on an ask", let state):
            broker.promise("a", from: peer)
            broker.load(from: other, credit: 1_000)
            stream = broker.takeAsks(peer).first ?? 0
            if state == "answered" { broker.send(Answer(byteCount: 5), on: stream, from: peer) }
            if state == "flowing" || state == "ended" {
                broker.data([1], last: state == "ended", on: stream, from: peer)
            }
        case (_, let state):
            peer = scene.destination
            if state == "announced" {
                scene.begin()
                scene.move()
                scene.forget()
            } else {
                scene.dropped(.copy)
                if state == "ended" { scene.conclude() }
            }
            stream = scene.destinationStream
        }
        self.broker = broker
        self.peer = peer
        self.stream = stream
        others = [scene.source, scene.destination, other].filter { [peer] in $0 != peer }
        before = broker.held
        for peer in others + [peer] { _ = broker.take(peer) }
    }

    /// Sends a frame, and returns its outcome in the words of the tables.
    func outcome(_ kind: FrameKind) -> String {
        broker.raw(kind: kind.rawValue, payload: Self.payload(kind), on: stream, from: peer)
        let frames = broker.take(peer)
        if broker.closed.contains(peer) {
            return frames.on(0).codes == [.protocolViolation] ? "V" : "closed with \(frames)"
        }
        return frames.isEmpty && effect == Effect(frames: [], held: before) ? "late" : "ok"
    }

    /// The effect of all frames so far on everything except the peer.
    var effect: Effect {
        Effect(frames: others.flatMap { broker.take($0).map(\.description) }, held: broker.held)
    }

    /// A valid payload.
    static func payload(_ kind: FrameKind) -> [UInt8] {
        switch kind {
        case .item: return Item("public.png").encoded
        case .commit:
            var commit = Commit()
            commit.itemCount = 1
            return commit.encoded
        case .credit:
            var credit = Credit()
            credit.offset = 5_000
            return credit.encoded
        case .answer: return Answer(byteCount: 5).encoded
        case .data: return [7]
        case .error: return Failure(.cancelled, "no").encoded
        case .move:
            var move = Move()
            move.sequence = 2
            return move.encoded
        case .proposal:
            var proposal = Proposal()
            proposal.sequence = 1
            proposal.operation = .copy
            return proposal.encoded
        default: return []
        }
    }

}
