import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The places at a source: those that are left to others, and the progress that loads must make while others wait.
@Suite(.pure) struct PlaceTests {
    private let broker = StateHarness()
    private let idler: PeerID
    private let reader: PeerID

    init() {
        idler = broker.connect()
        reader = broker.connect()
    }

    private func source(places: UInt32) -> PeerID {
        let source = broker.connect(maximumStreams: places)
        broker.promise("a", from: source)
        return source
    }

    /// Lets time pass as a loop does, which wakes up for each deadline.
    private func advance(by milliseconds: UInt64, _ each: () -> Void = {}) {
        for _ in 0..<milliseconds / 100 {
            broker.advance(by: 100)
            each()
        }
    }

    @Test(
        "However many loads a process has, the first ones of another are asked for at once, and none is ended for them"
    )
    func reserve() {
        let source = source(places: 16)
        for _ in 0..<20 { broker.load(from: idler) }
        let asks = broker.takeAsks(source)
        #expect(asks.count == 14)
        for _ in 0..<20 { broker.load(from: reader) }
        #expect(broker.takeAsks(source).count == 1)
        advance(by: 20_000) { for ask in asks { broker.data(count: 200, on: ask, from: source) } }
        #expect(broker.take(idler).codes.isEmpty && broker.brokenInvariants().isEmpty)
        broker.data([1], last: true, on: asks[0], from: source)
        broker.data([1], last: true, on: asks[1], from: source)
        #expect(broker.takeAsks(source).count == 1)
    }

    /// A process that holds the only place and does something each second while another one waits.
    private func failure(
        credit: UInt64 = 1 << 40,
        declared: UInt64? = nil,
        each: (_ load: UInt64, _ ask: UInt64, _ source: PeerID, _ second: UInt64) -> Void
    ) throws -> (code: ErrorCode?, second: UInt64) {
        let source = source(places: 1)
        let load = broker.load(from: idler, credit: credit)
        let ask = try #require(broker.takeAsks(source).first)
        if let declared { broker.send(Answer(byteCount: declared), on: ask, from: source) }
        broker.data([1], on: ask, from: source)
        _ = broker.take(idler)
        broker.load(from: reader)
        for second in 1...40 as ClosedRange<UInt64> {
            advance(by: 1_000)
            if let code = broker.take(idler).codes.first { return (code, second) }
            each(load, ask, source, second)
        }
        return (nil, 40)
    }

    @Test("A destination that gives a byte of credit now and then is stalled, however long the source would wait")
    func trickle() throws {
        let end = try failure(credit: 1) { load, ask, source, second in
            broker.credit(1 + second, on: load, from: idler)
            broker.data([1], on: ask, from: source)
        }
        #expect(end.code == .destinationStalled && (10...12).contains(end.second))
        #expect(broker.take(reader).codes.isEmpty)
    }

    @Test("A source that had credit and sends a byte now and then is stalled", .tags(.f38))
    func slowSource() throws {
        let end = try failure { _, ask, source, _ in broker.data([1], on: ask, from: source) }
        #expect(end.code == .sourceStalled && (10...12).contains(end.second))
    }

    @Test("A source is not blamed for credit that came late, but for what it did not send with it")
    func lateCredit() throws {
        let end = try failure(credit: 1) { load, ask, source, second in
            if second == 9 { broker.credit(1 << 20, on: load, from: idler) }
            if second > 9 { broker.data([1], on: ask, from: source) }
        }
        #expect(end.code == .sourceStalled && end.second > 19)
    }

    @Test("16 KiB in each 10 s are enough, and so is credit for the rest")
    func enough() throws {
        let end = try failure { _, ask, source, second in
            if second % 9 == 0 { broker.data(count: 16 << 10, on: ask, from: source) }
        }
        #expect(end.code == nil)
    }

    @Test("Credit for the whole rest is as good as much credit")
    func rest() throws {
        let end = try failure(credit: 100, declared: 100) { _, ask, source, _ in
            broker.data([1], on: ask, from: source)
        }
        #expect(end.code == .sourceStalled)
    }

    @Test("A source that works and reports progress is not too slow")
    func working() throws {
        let end = try failure { _, ask, source, _ in broker.send(Progress(), on: ask, from: source) }
        #expect(end.code == nil)
    }

    @Test("The place of a cached load counts for the process that wanted it first")
    func cached() {
        let source = broker.connect(maximumStreams: 2)
        broker.promiseOnce("x", from: source)
        let third = broker.connect()
        for peer in [reader, third] { broker.load(from: peer) }
        #expect(broker.takeAsks(source).count == 1)
        broker.promise("b", board: "b", from: source)
        broker.load(from: reader) { $0.board = "b" }
        #expect(broker.takeAsks(source).isEmpty)
        broker.load(from: third) { $0.board = "b" }
        #expect(broker.takeAsks(source).count == 1)
        #expect(broker.brokenInvariants().isEmpty)
    }
}
