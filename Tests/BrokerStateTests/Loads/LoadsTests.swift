import PasteboardWire
import TestSupport
import Testing

@testable import BrokerModel
@testable import BrokerState

/// Tests of loads without connections, boards and drag sessions.
@Suite(.pure) struct LoadsTests {
    @Test("A load is asked for within its credit, relayed, and released when the socket has taken its bytes")
    func relay() throws {
        let scene = LoadScene()
        let ask = try scene.begin(credit: 1_000)
        #expect(scene.asked == [ask] && scene.granted == 1_000)
        guard case .forward(scene.destination, 5, let load, _, false) = try scene.data(600, on: ask) else {
            return #expect(Bool(false), "the bytes go to the destination")
        }
        #expect(scene.frames(to: scene.destination).kinds == [.answer])
        _ = try scene.data(400, last: true, on: ask)
        #expect(scene.phase(ask) == "delivering")
        scene.loads.delivered(load, count: 1_000, &scene.contents, &scene.context)
        #expect(scene.isEmpty)
    }

    @Test("A source that sends more bytes than granted violates the protocol, and its load fails")
    func beyondCredit() throws {
        let scene = LoadScene()
        let ask = try scene.begin(credit: 10)
        #expect(scene.code { _ = try scene.data(11, on: ask) } == .protocolViolation)
        #expect(scene.frames(to: scene.destination).codes == [.sourceFailed])
        #expect(scene.isEmpty)
    }

    @Test("If a source accepts one ask, one of its loads is asked for, and the end of that load starts the next one")
    func queue() throws {
        let scene = LoadScene(places: 1)
        let first = try scene.begin(stream: 5)
        let second = try scene.begin(stream: 7)
        #expect(scene.asked == [first])
        #expect(scene.phase(second) == "queued")
        try scene.take(End(byteCount: 0), on: first)
        #expect(scene.asked == [second])
        #expect(scene.phase(second) == "asked")
    }

    @Test("If a source dies, all its loads end, and their ends start no other load")
    func sourceDies() throws {
        let scene = LoadScene(places: 1)
        _ = try scene.begin(stream: 5)
        _ = try scene.begin(stream: 7)
        scene.clearFrames()
        scene.loads.peerLeft(scene.source, &scene.contents, &scene.context)
        #expect(scene.frames(to: scene.destination).codes == [.sourceGone, .sourceGone])
        #expect(scene.frames(to: scene.source).isEmpty)
        #expect(scene.isEmpty)
    }

    @Test("If a destination dies, its loads are cancelled at their sources")
    func destinationDies() throws {
        let scene = LoadScene()
        let ask = try scene.begin()
        _ = try scene.data(100, on: ask)
        scene.clearFrames()
        scene.loads.peerLeft(scene.destination, &scene.contents, &scene.context)
        #expect(scene.frames(to: scene.source).kinds == [.cancel])
        #expect(scene.isEmpty)
    }

    @Test("Loads of a drag session report their ends in order, and other loads report nothing")
    func events() throws {
        let session = SessionID(slot: 4, generation: 1)
        let scene = LoadScene(session: session)
        let (first, second) = (try scene.begin(stream: 5), try scene.begin(stream: 7))
        _ = try scene.data(3, last: true, on: first)
        try scene.take(Failure(.sourceFailed, "no"), on: second)
        #expect(scene.takeEvents() == ["ended in 4.1", "ended in 4.1: source-failed"])
        let other = LoadScene()
        _ = try other.data(3, last: true, on: other.begin())
        #expect(other.takeEvents().isEmpty)
    }

    @Test("A source is late without a first byte, but not if it has no credit")
    func deadlines() throws {
        let scene = LoadScene()
        _ = try scene.begin(credit: 10, stream: 5)
        _ = try scene.begin(credit: 0, stream: 7)
        scene.clearFrames()
        scene.context.now += scene.context.limits.firstByte
        var cursor: Loads.Slot?
        scene.loads.beginDeadlines(&scene.context)
        while scene.loads.nextLate(after: &cursor, &scene.contents, &scene.context) != nil {}
        #expect(scene.frames(to: scene.destination).map(\.stream) == [5])
        #expect(scene.frames(to: scene.source).kinds == [.cancel])
    }
}

/// Loads of one promised item, with a source and a destination in two processes.
final class LoadScene {
    let store: ContentScene
    var loads = Loads()
    let source = PeerID(slot: 0, generation: 1)
    let destination = PeerID(slot: 1, generation: 1)
    let publication: PublicationID
    private var sent: [(peer: PeerID, frame: Frame)] = []
    private var nextStream: UInt64 = 5

    var contents: ContentStore {
        _read { yield store.contents }
        _modify { yield &store.contents }
    }

    var context: BrokerContext {
        _read { yield store.context }
        _modify { yield &store.context }
    }

    /// - Parameter keptCount: the size of the item's bytes if the item is kept; nil makes a promise.
    init(places: UInt32? = nil, session: SessionID? = nil, keptCount: UInt64? = nil) {
        store = ContentScene()
        let item = Item([Representation("public.text", kept: keptCount != nil)])
        // Every test fails if its scene cannot be built.
        publication =
            (try? store.publish([item], kept: keptCount.map { [$0] } ?? [], session: session))
            ?? PublicationID(rawValue: 0)
        for (peer, access) in [(source, store.writer), (destination, store.stranger)] {
            loads.connected(peer, access.process, store.context)
            loads.greeted(peer, name: "p", maximumStreams: places, passesDescriptors: true, store.context)
        }
        clearFrames()
    }

    /// Begins a load, and returns the stream of its ask.
    @discardableResult
    func begin(credit: UInt64 = 1 << 30, stream: UInt64 = 5) throws -> UInt64 {
        let before = Set(loads.ids)
        let terms = LoadTerms(
            destination: destination,
            stream: stream,
            account: store.accounts[1],
            process: ProcessKey(pid: 2, identity: 1),
            credit: credit,
            maximumByteCount: nil,
            timeoutMilliseconds: nil,
            isDescriptorWelcome: true,
            isInPlaceWelcome: false
        )
        let offer = try store.offer(publication, to: store.stranger)
        try loads.begin(terms, offer, &store.contents, &store.context)
        return try #require(loads.ids.first { !before.contains($0) }).askStream
    }

    func data(_ count: Int, last: Bool = false, on ask: UInt64) throws -> RelayVerdict {
        try loads.receive(on: ask, count: count, last: last, from: source, &store.contents, &store.context)
    }

    func take<Message: WireMessage>(_ message: Message, on ask: UInt64) throws {
        var payload: [UInt8] = []
        message.encode(into: &payload)
        try loads.take(Message.kind, on: ask, payload.span, from: source, &store.contents, &store.context)
    }

    // MARK: Results

    private func collect() { sent += store.context.takeFrames() }

    func clearFrames() {
        collect()
        sent = []
    }

    func frames(to peer: PeerID) -> [Frame] {
        collect()
        return sent.filter { $0.peer == peer }.map(\.frame)
    }

    /// The asks since the last call, and the credit of the last one.
    var asked: [UInt64] {
        let asks = frames(to: source).filter { $0.kind == .ask }
        granted = asks.last?.decode(Ask.self).credit ?? granted
        sent.removeAll { $0.frame.kind == .ask }
        return asks.map(\.stream)
    }

    private(set) var granted: UInt64 = 0

    func phase(_ ask: UInt64) -> String {
        guard let slot = loads.loadTable.find(LoadID(askStream: ask)) else { return "released" }
        switch loads.loadTable[slot].phase {
        case .queued: return "queued"
        case .asked: return "asked"
        case .flowing: return "flowing"
        case .passing: return "passing"
        case .delivering: return "delivering"
        }
    }

    /// Whether no load is left.
    var isEmpty: Bool {
        loads.isEmpty && store.context.accounting.inTransfer == 0
            && loads.brokenConditions(store.contents, store.context).isEmpty
    }

    func takeEvents() -> [String] {
        var events: [String] = []
        while let event = loads.nextEvent() {
            switch event {
            case .ended(let session, _, let failure):
                let code = failure.map { ": \($0.code)" } ?? ""
                events.append("ended in \(session.slot).\(session.generation)\(code)")
            case .lost(let session, _, _): events.append("lost in \(session.slot).\(session.generation)")
            case .counted(_, _, let isUsed): events.append(isUsed ? "used" : "given back")
            }
        }
        return events
    }

    func code(_ body: () throws -> Void) -> ErrorCode? { store.code(body) }
}
