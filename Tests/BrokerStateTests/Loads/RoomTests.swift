import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Room for bytes in transfer, of a pool of 2 MiB. No socket takes bytes until a test delivers them.
@Suite(.pure) struct RoomTests {
    private static let pool: UInt64 = 2 << 20
    private static let smallest: UInt64 = 4 << 10

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

    /// Begins loads of 200,000 bytes until one is refused, and returns the number of those that have received bytes.
    @discardableResult
    private func fill(_ reader: PeerID) -> Int {
        for count in 0..<1_000 {
            let load = broker.load(from: reader)
            let frames = broker.take(reader).on(load)
            guard let failure = frames.first(Failure.self) else { continue }
            #expect(failure.code == .limitExceeded && failure.text.contains("transfer-pool"))
            return count
        }
        Issue.record("a process has room for any number of loads")
        return 0
    }

    @Test("A process holds at most half of the pool and its first units, however many loads it does not read")
    func half() {
        for _ in 0..<4 { fill(broker.connect(process: 7)) }
        let most = Self.pool / 2 + 4 * Self.smallest
        #expect((most - Self.smallest...most).contains(broker.held.inTransfer))
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("Large windows take half of that, so that there is room for many more loads")
    func windows() {
        #expect(fill(broker.connect()) >= Int(Self.pool / 4 / Self.smallest))
    }

    @Test("Beside a process that holds its share, loads of others get half as much as alone, or a few bytes each")
    func others() {
        let first = broker.connect()
        broker.load(from: first)
        let alone = broker.held.inTransfer
        fill(first)
        var before = broker.held.inTransfer
        broker.load(from: broker.connect())
        #expect(broker.held.inTransfer - before >= alone / 2)
        for _ in 0..<100 {
            before = broker.held.inTransfer
            #expect(fill(broker.connect()) >= 3)
            #expect(broker.held.inTransfer - before >= 3 * Self.smallest)
        }
        #expect(broker.held.inTransfer <= Self.pool + 102 * 2 * 4 * Self.smallest)
    }

    @Test("A process whose window has grown can make its first loads, however much others take")
    func grown() {
        let reader = broker.connect()
        broker.load(from: reader)
        #expect(broker.held.inTransfer > 4 * Self.smallest)
        for _ in 0..<20 { fill(broker.connect()) }
        _ = broker.take(reader)
        for _ in 0..<3 { broker.load(from: reader) }
        #expect(broker.take(reader).codes.isEmpty)
        broker.load(from: reader)
        #expect(broker.take(reader).codes == [.limitExceeded])
    }

    @Test("A destination that reads gets its loads to the end, and room for others")
    func continued() {
        let reader = broker.connect()
        let loads = (0..<100).map { _ in broker.load(from: reader) }
        var ended: Set<UInt64> = []
        var rounds = 0
        while ended.count < loads.count, rounds < 1_000 {
            rounds += 1
            ended.formUnion(broker.take(reader).ends.filter(\.last).map(\.stream))
            broker.deliver(to: reader)
        }
        #expect(ended == Set(loads), "\(rounds) rounds")
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
        #expect(fill(reader) > 100)
    }

    @Test("A destination that does not read keeps its loads, and others are served beside it", .tags(.f36))
    func unread() {
        let (greedy, other) = (broker.connect(), broker.connect())
        let count = fill(greedy)
        for _ in 0..<60 { broker.advance(by: 60_000) }
        #expect(broker.held.loads == count && broker.closed.isEmpty)
        broker.deliversAtOnce = true
        let load = broker.load(from: other)
        #expect(broker.take(other).on(load).bytes.count == 200_000)
    }

    @Test("Loads that are cancelled give their room back")
    func cancelled() {
        let reader = broker.connect()
        let before = broker.held
        for _ in 0..<1_000 {
            let load = broker.load(from: reader, credit: 0)
            #expect(broker.take(reader).codes.isEmpty)
            broker.send(Cancel(), on: load, from: reader)
        }
        #expect(broker.held == before && broker.brokenInvariants().isEmpty)
        fill(reader)
        broker.disconnect(reader)
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
    }

    @Test("Endless loads leave room for one that begins later")
    func endless() {
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

    @Test("When everybody has gone, the broker has no reason to wake up")
    func silence() {
        let reader = broker.connect()
        fill(reader)
        broker.disconnect(reader)
        broker.advance(by: 60_000)
        broker.disconnect(source)
        broker.advance(by: 60_000)
        #expect(broker.state.world.context.nextCheck == .max)
    }
}
