import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The places at a source: the share of each process while others wait, and the progress that its loads must make.
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

    @Test("While another process waits, one keeps only its share, and loses its newest loads without credit")
    func share() {
        let source = source(places: 16)
        let loads = (0..<16).map { _ in
            broker.advance(by: 1)
            return broker.load(from: idler, credit: 1)
        }
        for ask in broker.takeAsks(source) { broker.data([1], on: ask, from: source) }
        advance(by: 60_000)
        #expect(broker.take(idler).codes.isEmpty, "nobody waits")
        for _ in 0..<20 { broker.load(from: reader) }
        advance(by: 1_100)
        let told = broker.take(idler)
        #expect(loads.map { told.on($0).codes } == (0..<16).map { $0 < 8 ? [] : [.limitExceeded] })
        #expect(broker.takeAsks(source).count == 8 && broker.brokenInvariants().isEmpty)
        #expect(broker.take(reader).isEmpty)
    }

    @Test("A share is rounded up, so processes that hold no more than theirs lose nothing to another one")
    func roundedShare() {
        let source = source(places: 4)
        let others = [idler, broker.connect()]
        for peer in others + others { broker.load(from: peer, credit: 0) }
        _ = broker.takeAsks(source)
        broker.load(from: reader)
        advance(by: 5_000)
        #expect(others.allSatisfy { broker.take($0).isEmpty } && broker.take(reader).isEmpty)
    }

    @Test("No more loads are ended than others need, and at least one remains for each process")
    func needed() {
        let source = source(places: 2)
        for _ in 0..<2 { broker.load(from: idler, credit: 0) }
        let others = [reader, broker.connect(), broker.connect()]
        for peer in others { broker.load(from: peer, credit: 0) }
        advance(by: 5_000)
        #expect(broker.take(idler).codes == [.limitExceeded])
        #expect(broker.takeAsks(source).count == 3)
        for peer in others { #expect(broker.take(peer).codes.isEmpty) }
    }

    @Test("A destination that gives credit again at once keeps its places for 10 s, and then loses the slowest")
    func slowest() {
        let source = source(places: 2)
        let fast = broker.load(from: idler)
        let slow = broker.load(from: idler)
        let asks = broker.takeAsks(source)
        broker.load(from: reader)
        advance(by: 9_900) {
            broker.data(count: 1_000, on: asks[0], from: source)
            broker.data(count: 500, on: asks[1], from: source)
        }
        #expect(broker.take(idler).codes.isEmpty)
        advance(by: 200)
        let told = broker.take(idler)
        #expect(told.on(slow).codes == [.limitExceeded] && told.on(fast).codes.isEmpty)
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
        broker.promiseOnce("x", "y", from: source)
        let loads = ["x", "y"].map { type in broker.load(from: reader) { $0.accepts = [Accept(type)] } }
        let third = broker.connect()
        let joined = broker.load(from: third) { $0.accepts = [Accept("x")] }
        let asks = broker.takeAsks(source)
        broker.promise("b", board: "b", from: source)
        broker.load(from: idler) { $0.board = "b" }
        advance(by: 9_900) { broker.data(count: 10, on: asks[1], from: source) }
        #expect(broker.take(reader).codes.isEmpty && broker.take(third).codes.isEmpty)
        advance(by: 200)
        #expect(broker.take(reader).on(loads[0]).codes == [.limitExceeded])
        #expect(broker.take(third).on(joined).codes == [.limitExceeded])
        #expect(broker.brokenInvariants().isEmpty)
    }
}
