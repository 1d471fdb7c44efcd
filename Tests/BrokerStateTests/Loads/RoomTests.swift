import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Room for bytes in transfer, of a pool of 2 MiB. No socket takes bytes until a test delivers them.
@Suite(.pure) struct RoomTests {
    private static let pool: UInt64 = 2 << 20
    private static let smallest: UInt64 = 16 << 10

    private let broker = StateHarness {
        $0.transferPool = Self.pool
        $0.loadsPerConnection = 10_000
    }
    private let source: PeerID

    init() {
        source = broker.connect("source")
        broker.write(
            [Item([Representation("k", kept: true)])],
            kept: [[UInt8](repeating: 1, count: 200_000)],
            from: source
        )
        broker.deliversAtOnce = false
    }

    /// Begins loads of 200,000 bytes and returns the number of those that have received bytes.
    @discardableResult
    private func load(_ count: Int, from reader: PeerID) -> Int {
        let loads = Set((0..<count).map { _ in broker.load(from: reader) })
        return Set(broker.take(reader).filter { $0.kind == .data && loads.contains($0.stream) }.map(\.stream)).count
    }

    @Test("A process holds at most half of the pool, however many loads it does not read")
    func half() {
        for _ in 0..<4 { load(200, from: broker.connect(process: 7)) }
        #expect(broker.held.inTransfer <= Self.pool / 2)
        #expect(broker.held.inTransfer > Self.pool / 2 - 2 * Self.smallest)
    }

    @Test("Beside a process that holds its part, loads of others get as much as alone, or a few bytes each")
    func others() {
        let first = broker.connect()
        load(1, from: first)
        let alone = broker.held.inTransfer
        load(500, from: first)
        var before = broker.held.inTransfer
        load(1, from: broker.connect())
        #expect(broker.held.inTransfer - before >= alone / 2)
        for _ in 0..<100 {
            let other = broker.connect()
            before = broker.held.inTransfer
            #expect(load(500, from: other) > 0)
            #expect(broker.held.inTransfer - before >= Self.smallest)
        }
        #expect(broker.held.inTransfer <= Self.pool + 100 * Self.smallest)
    }

    @Test("Loads without room continue when their process reads, and all of them end")
    func continued() {
        let reader = broker.connect()
        let loads = (0..<300).map { _ in broker.load(from: reader) }
        var ended: Set<UInt64> = []
        var rounds = 0
        while ended.count < loads.count, rounds < 1_000 {
            rounds += 1
            let frames = broker.take(reader)
            ended.formUnion(frames.ends.filter(\.last).map(\.stream))
            broker.deliver(to: reader)
        }
        #expect(ended == Set(loads), "\(rounds) rounds")
        broker.deliver(to: reader)
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
    }

    @Test("A source is asked without credit for a load without room, and gets credit when there is some")
    func promised() throws {
        let reader = broker.connect()
        broker.promise("p", board: "promised", from: source)
        load(200, from: reader)
        broker.load(from: reader) { $0.board = "promised" }
        let ask = try #require(broker.takeAsks(source).first)
        #expect(broker.granted[ask] == 0)
        broker.deliver(to: reader)
        _ = broker.take(reader)
        for _ in 0..<1_000 where broker.granted[ask] == 0 { broker.deliver(to: reader) }
        #expect(broker.granted[ask] ?? 0 >= Self.smallest)
    }

    @Test("A process that does not read loses its loads after 10 s without room; others do not", .tags(.f36))
    func stalled() throws {
        let (greedy, other) = (broker.connect(), broker.connect())
        load(1, from: other)
        load(500, from: greedy)
        broker.advance(by: 9_000)
        #expect(broker.take(greedy).codes.isEmpty)
        broker.advance(by: 1_000)
        #expect(!broker.take(greedy).codes.isEmpty)
        broker.advance(by: 60_000)
        #expect(broker.closed == [greedy])
        #expect(broker.take(other).codes.isEmpty)
        while broker.held.inTransfer > 0 {
            let before = broker.held
            broker.deliver(to: other)
            try #require(broker.held != before)
        }
    }

    @Test("Loads that are cancelled while they wait for room are forgotten")
    func cancelled() {
        let reader = broker.connect()
        load(200, from: reader)
        let before = broker.held
        for _ in 0..<1_000 {
            let load = broker.load(from: reader)
            broker.send(Cancel(), on: load, from: reader)
        }
        #expect(broker.held == before)
        // They include the length of the queue.
        #expect(broker.brokenInvariants().isEmpty)
        broker.disconnect(reader)
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
    }

    /// Begins loads of a source that works, and so holds room without sending bytes.
    private func occupy(by reader: PeerID) -> (source: PeerID, asks: [UInt64]) {
        let working = broker.connect("working", maximumStreams: 1_000)
        broker.promise("p", board: "promised", from: working)
        for _ in 0..<60 { broker.load(from: reader) { $0.board = "promised" } }
        return (working, broker.takeAsks(working))
    }

    private func work(_ seconds: Int, _ working: (source: PeerID, asks: [UInt64])) {
        for _ in 0..<seconds {
            broker.advance(by: 1_000)
            for ask in working.asks { broker.send(Progress(), on: ask, from: working.source) }
        }
    }

    @Test("A load that finds no room for 30 s ends with the limit's name, also if it was paused before")
    func noRoom() {
        let reader = broker.connect()
        let paused = broker.load(from: reader, credit: 0)
        broker.advance(by: 60_000)
        let working = occupy(by: reader)
        let load = broker.load(from: reader)
        broker.credit(.max, on: paused, from: reader)
        work(29, working)
        #expect(broker.take(reader).codes.isEmpty)
        work(2, working)
        let frames = broker.take(reader)
        for stream in [load, paused] {
            let failure = frames.on(stream).first(Failure.self)
            #expect(failure?.code == .limitExceeded && failure?.text.contains("transfer-pool") == true)
        }
    }

    @Test("A waiting load that is cancelled does not end the loads that it waited for")
    func cancelledWaiter() throws {
        let reader = broker.connect()
        var waiter: UInt64?
        while waiter == nil {
            let load = broker.load(from: reader)
            if !broker.take(reader).contains(where: { $0.stream == load && $0.kind == .data }) { waiter = load }
        }
        broker.send(Cancel(), on: try #require(waiter), from: reader)
        broker.advance(by: 60_000)
        #expect(broker.take(reader).codes.isEmpty && broker.closed.isEmpty)
    }

    @Test("A destination that reads slowly keeps its connection, although the last bytes wait long behind others")
    func slowReader() {
        let reader = broker.connect()
        load(300, from: reader)
        for _ in 0..<25 {
            broker.advance(by: 1_000)
            broker.deliver(to: reader, atMost: 1)
        }
        #expect(!broker.take(reader).codes.contains(.destinationStalled) && broker.closed.isEmpty)
    }

    @Test("A destination that pauses does not lose its load because other processes hold much")
    func paused() {
        let patient = broker.connect()
        load(1, from: patient)
        broker.advance(by: 3_600_000)
        for process in 0..<20 { load(500, from: broker.connect(process: UInt32(1_000 + process))) }
        broker.advance(by: 60_000)
        #expect(broker.take(patient).codes.isEmpty && !broker.closed.contains(patient))
    }

    @Test("Endless loads share the room of their process with one that begins later")
    func endless() throws {
        let endless = broker.connect("endless", maximumStreams: 1_000)
        let reader = broker.connect()
        broker.promise("p", board: "promised", from: endless)
        for _ in 0..<60 { broker.load(from: reader) { $0.board = "promised" } }
        let asks = broker.takeAsks(endless)
        let load = broker.load(from: reader)
        var sent: [UInt64: UInt64] = [:]
        var bytes = 0
        for _ in 0..<200 where bytes < 200_000 {
            for ask in asks {
                let granted = broker.granted[ask] ?? 0
                let count = granted - (sent[ask] ?? 0)
                if count > 0 { broker.data(count: Int(count), on: ask, from: endless) }
                sent[ask] = granted
            }
            broker.deliver(to: reader)
            bytes += broker.take(reader).on(load).bytes.count
        }
        #expect(bytes == 200_000)
    }

    @Test("When everybody who waited has gone, the broker has no reason to wake up")
    func silence() {
        let reader = broker.connect()
        load(300, from: reader)
        broker.disconnect(reader)
        broker.advance(by: 60_000)
        broker.disconnect(source)
        broker.advance(by: 60_000)
        #expect(broker.state.world.context.nextCheck == .max)
    }
}
