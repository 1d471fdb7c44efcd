import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Loads that wait for their turn at a source, and the loads that block them.
@Suite(.pure) struct TurnTests {
    private var broker = StateHarness()
    private let source: PeerID
    private let idler: PeerID
    private let reader: PeerID

    init() {
        source = broker.connect(maximumStreams: 1)
        idler = broker.connect()
        reader = broker.connect()
        broker.promise("a", from: source)
    }

    /// Starts a load of the idler, which is asked for, and then a load of the reader, which waits.
    private mutating func contend(credit: UInt64, timeout: UInt64? = nil) throws -> UInt64 {
        broker.load(from: idler, credit: credit) { $0.timeoutMilliseconds = timeout }
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: Int(min(credit, 1_000)), on: ask, from: source)
        broker.load(from: reader)
        _ = broker.take(idler)
        return ask
    }

    @Test(
        "A load without credit ends after 10 s if others wait for its source, whatever its timeout",
        arguments: [(UInt64(0), UInt64?.none), (1_000, nil), (0, 0), (1_000, 0)]
    )
    mutating func withoutCredit(_ credit: UInt64, _ timeout: UInt64?) throws {
        let ask = try contend(credit: credit, timeout: timeout)
        broker.advance(by: 9_900)
        #expect(broker.take(idler).isEmpty && broker.take(source).isEmpty)
        broker.advance(by: 100)
        #expect(broker.take(idler).codes == [.destinationStalled])
        let told = broker.take(source)
        #expect(told.kinds == [.cancel, .ask] && told[0].stream == ask)
        #expect(broker.take(reader).isEmpty)
    }

    @Test("The time before others waited does not count against a load, and a byte of credit is not progress")
    mutating func creditAgain() throws {
        let load = broker.load(from: idler, credit: 0)
        let ask = try #require(broker.takeAsks(source).first)
        broker.advance(by: 3_600_000)
        broker.load(from: reader)
        broker.advance(by: 9_000)
        broker.credit(1, on: load, from: idler)
        broker.data([1], on: ask, from: source)
        broker.advance(by: 900)
        #expect(broker.take(idler).codes.isEmpty)
        broker.advance(by: 100)
        #expect(broker.take(idler).codes == [.destinationStalled])
    }

    @Test("If a program blocks only itself, credit is as good as progress")
    mutating func ownLoads() throws {
        let load = broker.load(from: idler, credit: 0)
        let ask = try #require(broker.takeAsks(source).first)
        broker.load(from: idler)
        for byte in 1...5 as ClosedRange<UInt64> {
            broker.advance(by: 9_000)
            broker.credit(byte, on: load, from: idler)
            broker.data([1], on: ask, from: source)
        }
        #expect(broker.take(idler).codes.isEmpty)
        broker.advance(by: 9_000)
        broker.advance(by: 1_000)
        #expect(broker.take(idler).codes == [.destinationStalled])
    }

    @Test("A load whose socket takes no bytes blocks others too")
    mutating func unread() throws {
        broker.deliversAtOnce = false
        broker.load(from: idler)
        let ask = try #require(broker.takeAsks(source).first)
        broker.data(count: 256 << 10, on: ask, from: source)
        broker.load(from: reader)
        broker.advance(by: 10_000)
        #expect(broker.take(idler).codes == [.destinationStalled])
        #expect(broker.takeAsks(source).count == 1)
    }

    @Test("A waiting load has 30 s for its first byte if its source sends no bytes of other loads")
    mutating func timeouts() throws {
        _ = try contend(credit: 1 << 40, timeout: 100_000)
        broker.advance(by: 29_900)
        #expect(broker.take(reader).isEmpty)
        broker.advance(by: 100)
        #expect(broker.take(reader).codes == [.sourceStalled])
        #expect(broker.take(source).isEmpty)
    }

    @Test("A waiting load has no first-byte deadline while its source sends other bytes, and has 30 s from its ask")
    mutating func busySource() throws {
        let ask = try contend(credit: 1 << 40)
        for _ in 0..<50 {
            broker.advance(by: 5_000)
            broker.data(count: 8 << 10, on: ask, from: source)
        }
        #expect(broker.take(reader).isEmpty)
        broker.data([1], last: true, on: ask, from: source)
        #expect(broker.takeAsks(source).count == 1)
        broker.advance(by: 29_900)
        #expect(broker.take(reader).isEmpty)
        broker.advance(by: 100)
        #expect(broker.take(reader).codes == [.sourceStalled])
    }

    @Test("A waiting load has no first-byte deadline while its source finishes other loads")
    mutating func movingQueue() throws {
        var ask = try contend(credit: 1 << 40)
        let others = broker.connect()
        for _ in 0..<8 { broker.load(from: others) }
        broker.send(Failure(.sourceFailed, "no"), on: ask, from: source)
        ask = try #require(broker.takeAsks(source).first)
        for _ in 0..<8 {
            broker.advance(by: 25_000)
            broker.send(Failure(.sourceFailed, "no"), on: ask, from: source)
            ask = try #require(broker.takeAsks(source).first)
        }
        #expect(!broker.take(others).codes.contains(.sourceStalled))
    }

    @Test("A load waits for at most 10 minutes")
    mutating func longestWait() throws {
        let ask = try contend(credit: 1 << 40)
        for _ in 0..<119 {
            broker.advance(by: 5_000)
            broker.data(count: 8 << 10, on: ask, from: source)
        }
        #expect(broker.take(reader).isEmpty)
        broker.advance(by: 5_000)
        #expect(broker.take(reader).codes == [.sourceStalled])
    }

    @Test("Processes take turns, so a process with many loads does not delay one with a single load")
    mutating func turns() throws {
        let ask = try contend(credit: 1 << 40)
        let many = (0..<5).map { _ in broker.load(from: idler) }
        let second = broker.connect()
        let one = broker.load(from: second)
        var next = ask
        for number in 1...7 {
            broker.data([UInt8(number)], last: true, on: next, from: source)
            next = broker.takeAsks(source).first ?? 0
        }
        // The reader waited first, then the idler, then the second process.
        let frames = broker.take(idler)
        #expect(many.map { frames.on($0).bytes } == [[3], [5], [6], [7], []])
        #expect(broker.take(reader).bytes == [2])
        #expect(broker.take(second).on(one).bytes == [4])
    }

    @Test("If the queue of a source is full, the process with the most waiting loads makes room for others")
    func displaced() {
        let broker = StateHarness { $0.waitingPerSource = 4 }
        let source = broker.connect(maximumStreams: 1)
        broker.promise("a", from: source)
        let (crowd, other) = (broker.connect(), broker.connect())
        let loads = (0..<6).map { _ in broker.load(from: crowd) }
        #expect(broker.take(crowd).on(loads[5]).codes == [.limitExceeded])
        for _ in 0..<3 { broker.load(from: other) }
        let displaced = broker.take(crowd)
        #expect(displaced.on(loads[4]).codes == [.limitExceeded] && displaced.on(loads[3]).codes == [.limitExceeded])
        #expect(displaced.count == 2)
        #expect(broker.take(other).codes == [.limitExceeded])
        #expect(broker.brokenInvariants().isEmpty)
    }

    // MARK: Ends of loads that wait

    @Test("A load that waits is asked for in the contents that it was made for, although they were replaced")
    mutating func replaced() throws {
        let ask = try contend(credit: 1 << 40)
        broker.promise("b", from: source)
        broker.data([1], last: true, on: ask, from: source)
        let next = try #require(broker.take(source).first { $0.kind == .ask })
        #expect(next.decode(Ask.self).type == "a")
        broker.data([2], last: true, on: next.stream, from: source)
        #expect(broker.take(reader).bytes == [2])
    }

    @Test("The source is not asked for a load that is cancelled while it waits")
    mutating func cancelled() {
        let loads = (0..<3).map { _ in broker.load(from: reader) }
        let ask = broker.takeAsks(source)[0]
        broker.send(Cancel(), on: loads[1], from: reader)
        #expect(broker.take(source).isEmpty)
        broker.data([1], last: true, on: ask, from: source)
        #expect(broker.take(source).kinds == [.ask] && broker.held.loads == 1)
    }

    @Test(
        "A source that accepts no streams gets one ask at a time, and one that accepts many gets what one process may have",
        arguments: [(UInt32(0), 1), (1, 1), (.max, 112)]
    )
    func maximum(_ streams: UInt32, _ expected: Int) {
        let broker = StateHarness { $0.loadsPerConnection = 200 }
        let source = broker.connect(maximumStreams: streams)
        let reader = broker.connect()
        broker.promise("a", from: source)
        for _ in 0..<150 { broker.load(from: reader) }
        #expect(broker.takeAsks(source).count == expected)
    }

    @Test(
        "If a source ends or withdraws its promise, waiting loads end too, and are never asked for",
        arguments: [true, false]
    )
    mutating func sourceEnds(isWithdrawn: Bool) {
        let stream = broker.write([Item("a")], from: source)
        for _ in 0..<3 { broker.load(from: reader) }
        _ = broker.take(source)
        if isWithdrawn { broker.send(Cancel(), on: stream, from: source) } else { broker.disconnect(source) }
        #expect(broker.take(source).kinds == (isWithdrawn ? [.cancel] : []))
        #expect(broker.take(reader).codes == [.sourceGone, .sourceGone, .sourceGone] && broker.held.loads == 0)
    }

    @Test("If a destination ends, loads of others take its turns")
    mutating func destinationEnds() {
        broker.load(from: idler)
        let ask = broker.takeAsks(source)[0]
        broker.load(from: reader)
        broker.disconnect(idler)
        let frames = broker.take(source)
        #expect(frames.kinds == [.cancel, .ask] && frames[0].stream == ask && frames[1].stream != ask)
    }
}
