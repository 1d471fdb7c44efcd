import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct CreditTests {
    private static let initial: UInt64 = 256 << 10
    private static let largest: UInt64 = 1 << 20

    /// A broker with one load in progress: source, destination, its stream and the stream of the ask.
    private static func loading(
        credit: UInt64
    ) -> (broker: StateHarness, source: PeerID, reader: PeerID, load: UInt64, ask: UInt64) {
        let broker = StateHarness()
        let source = broker.connect()
        let reader = broker.connect()
        broker.promise("a", from: source)
        let load = broker.load(from: reader, credit: credit)
        let ask = broker.take(source).first { $0.kind == .ask }?.stream ?? 0
        return (broker, source, reader, load, ask)
    }

    @Test("The window grows to 1 MiB with the second grant, and counts from the bytes that the socket has taken")
    func window() {
        let (broker, source, reader, _, ask) = Self.loading(credit: .max)
        broker.deliversAtOnce = false
        broker.data(count: Int(Self.initial), on: ask, from: source)
        #expect(broker.granted[ask] == Self.initial)
        broker.deliver(to: reader)
        let second = broker.granted[ask] ?? 0
        #expect(second > Self.initial && second <= Self.initial + Self.largest)
        broker.data(count: Int(second - Self.initial), on: ask, from: source)
        broker.deliver(to: reader)
        #expect(broker.granted[ask] == second + Self.largest)
    }

    @Test("If a destination's socket takes no bytes, its source stops at the window", .tags(.f36))
    func stalled() {
        let (broker, source, reader, load, ask) = Self.loading(credit: Self.initial)
        broker.deliversAtOnce = false
        broker.data(count: Int(Self.initial), on: ask, from: source)
        broker.credit(.max, on: load, from: reader)
        #expect(broker.granted[ask] == Self.initial)
        #expect(broker.held.inTransfer == Self.initial)
    }

    @Test("With less room, windows shrink to 4 KiB, and further loads are refused")
    func pressure() {
        let broker = StateHarness { $0.transferPool = 1 << 20 }
        broker.deliversAtOnce = false
        let (source, reader) = (broker.connect(), broker.connect())
        broker.promise("a", from: source)
        for _ in 0..<111 { broker.load(from: reader) }
        let grants = broker.take(source).all(Ask.self).compactMap(\.credit)
        #expect((64 << 10...70 << 10).contains(grants.first ?? 0) && grants.last == 4 << 10)
        #expect(broker.take(reader).codes == [ErrorCode](repeating: .limitExceeded, count: 111 - grants.count))
        #expect(grants.count > 64 && broker.held.inTransfer <= 528 << 10)
    }

    @Test("Data frames are small if the destination has several loads, and large if it has one")
    func frameLength() {
        let broker = StateHarness()
        let source = broker.connect()
        let reader = broker.connect()
        broker.promise("a", from: source)
        broker.write(
            [Item([Representation("k", kept: true)])],
            kept: [[UInt8](repeating: 1, count: 200_000)],
            board: "kept",
            from: source
        )
        broker.load(from: reader) { $0.board = "kept" }
        #expect(broker.take(reader).filter { $0.kind == .data }.map(\.payload.count) == [200_000])
        broker.load(from: reader)
        broker.load(from: reader) { $0.board = "kept" }
        #expect(broker.take(reader).filter { $0.kind == .data }.allSatisfy { $0.payload.count <= 65_536 })
    }

    @Test("Kept bytes are never more than a window ahead of the socket")
    func keptWindow() {
        let broker = StateHarness()
        broker.deliversAtOnce = false
        let source = broker.connect()
        let reader = broker.connect()
        let stream = broker.begin(from: source)
        broker.send(Item([Representation("k", kept: true)]), on: stream, from: source)
        broker.data(count: 3 << 20, last: true, on: stream, from: source)
        broker.commit(1, on: stream, from: source)
        broker.load(from: reader, credit: .max)
        #expect(broker.take(reader).bytes.count == Int(Self.initial))
        broker.deliver(to: reader)
        #expect(broker.take(reader).bytes.count <= Int(Self.largest))
        #expect(broker.held.inTransfer <= Self.largest)
    }

    @Test(
        "An ended load stays charged until the destination has taken its bytes, so one that does not read gets no more"
    )
    func unreadBytesAreCharged() {
        let broker = StateHarness { $0.loadsPerConnection = 4 }
        broker.deliversAtOnce = false
        let source = broker.connect()
        let reader = broker.connect()
        broker.promise("a", from: source)
        for _ in 0..<10 {
            broker.load(from: reader)
            for ask in broker.takeAsks(source) { broker.data(count: 1_000, last: true, on: ask, from: source) }
        }
        let frames = broker.take(reader)
        #expect(frames.ends.filter(\.last).count == 4)
        #expect(frames.codes == [ErrorCode](repeating: .limitExceeded, count: 6))
        #expect(broker.held.inTransfer == 4 * Self.initial && broker.held.loads == 4)
        broker.deliver(to: reader)
        #expect(broker.held.inTransfer == 0 && broker.held.loads == 0)
        broker.load(from: reader)
        #expect(broker.takeAsks(source).count == 1)
    }
}
