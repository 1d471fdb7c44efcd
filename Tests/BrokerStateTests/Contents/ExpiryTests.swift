import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents that end when their time is over.
@Suite(.pure) struct ExpiryTests {
    @Test("When its time is over, a board is cleared as by a clear, and its writer is sent the reason")
    func cleared() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.write([Item("a")], board: "one", terms: ContentTerms(expires: 5_000), from: writer)
        let count = try #require(broker.take(writer).first(Committed.self)?.changeCount)
        broker.advance(by: 4_999)
        #expect(broker.list("one", from: writer).first(Contents.self)?.terms?.expiresMilliseconds == 1)
        broker.advance(by: 1)
        let frames = broker.take(writer).on(stream)
        #expect(frames.kinds == [.end] && frames.first(End.self)?.reason == .expired)
        let contents = try #require(broker.list("one", from: writer).first(Contents.self))
        #expect(contents.handle == nil && contents.changeCount == count + 1)
        #expect(broker.held.publications == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("The time counts from the commit, and kept bytes expire without their writer")
    func fromCommit() {
        let broker = StateHarness()
        let writer = broker.connect()
        let stream = broker.begin(terms: ContentTerms(expires: 5_000), from: writer)
        broker.send(Item([Representation("a", kept: true)]), on: stream, from: writer)
        broker.advance(by: 4_000)
        broker.data([1, 2], last: true, on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        broker.disconnect(writer)
        broker.advance(by: 4_900)
        #expect(broker.openMemory == 1 && broker.held.keptBytes == 2)
        broker.advance(by: 100)
        #expect(broker.openMemory == 0 && broker.held == .nothing)
    }

    @Test("A load that has begun continues after the expiry, and a later one finds nothing")
    func loads() {
        let broker = StateHarness()
        let writer = broker.connect()
        let handle = broker.promise("a", terms: ContentTerms(expires: 5_000), from: writer).handle
        let reader = broker.connect()
        let load = broker.load(from: reader)
        broker.advance(by: 5_000)
        let late = [broker.load(from: reader), broker.load(from: reader) { $0.handle = handle }]
        let frames = broker.take(reader)
        #expect(frames.on(late[0]).codes == [.nothingHere] && frames.on(late[1]).codes == [.superseded])
        for ask in broker.takeAsks(writer) { broker.data([1, 2, 3], last: true, on: ask, from: writer) }
        #expect(broker.take(reader).on(load).bytes == [1, 2, 3])
        #expect(broker.held.publications == 0)
    }

    @Test("The time of a suspension counts, and contents whose time is over are cleared before the next input")
    func suspended() {
        let broker = StateHarness()
        let writer = broker.connect()
        broker.promise("a", terms: ContentTerms(expires: 60_000), from: writer)
        broker.promise("b", board: "one", terms: ContentTerms(expires: 60_001), from: writer)
        broker.suspend(for: 60_000)
        let reader = broker.connect()
        let loads = [broker.load(from: reader), broker.load(from: reader) { $0.board = "one" }]
        #expect(broker.take(reader).on(loads[0]).codes == [.nothingHere])
        #expect(broker.takeAsks(writer).count == 1)
        // The clock of the deadlines goes on where it was.
        broker.advance(by: 1)
        #expect(broker.take(writer).all(End.self).map(\.reason) == [.expired])
    }

    @Test("Contents that were replaced or cleared do not end a second time, and contents without a time stay")
    func replaced() {
        let broker = StateHarness()
        let writer = broker.connect()
        let first = broker.write([Item("a")], terms: ContentTerms(expires: 5_000), from: writer)
        broker.promise("b", from: writer)
        broker.promise("c", board: "one", terms: ContentTerms(expires: 5_000), from: writer)
        broker.clear("one", from: writer)
        _ = broker.take(writer)
        broker.advance(by: 100_000)
        #expect(broker.take(writer).isEmpty)
        #expect(broker.list(from: writer).first(Item.self)?.representations.map(\.type) == ["b"])
        #expect(first == 1 && broker.state.world.context.nextExpiry == .max)
    }

    @Test("Boards expire in the order of their times, also when the broker wakes late, and the longest time fits")
    func several() {
        let broker = StateHarness()
        let writer = broker.connect()
        var streams: [UInt64] = []
        for (board, time) in [("one", UInt64(3_000)), ("two", 1_000), ("three", 2_000), ("four", .max)] {
            let terms = ContentTerms(expires: time)
            streams.append(broker.write([Item("a")], board: board, terms: terms, from: writer))
        }
        _ = broker.take(writer)
        broker.advance(by: 50_000)
        #expect(broker.take(writer).filter { $0.kind == .end }.map(\.stream) == [streams[1], streams[2], streams[0]])
        #expect(broker.list("four", from: writer).first(Contents.self)?.handle != nil)
    }

    @Test("Concealed contents whose bytes are kept, now or later, expire after 90 s, unless they state another time")
    func concealed() {
        var once = Representation("once")
        once.policy = .onceAndKept
        var onceItem = Item([once])
        onceItem.requires = [Feature.onceAndKept.rawValue]
        let kept = Item([Representation("a", kept: true)])
        for (item, terms, time) in [
            (kept, ContentTerms(concealed: true), 90_000), (onceItem, ContentTerms(concealed: true), 90_000),
            (Item("a"), ContentTerms(concealed: true), nil), (kept, ContentTerms(transient: true), nil),
            (kept, ContentTerms(concealed: true, expires: 200_000), 200_000),
        ] as [(Item, ContentTerms, UInt64?)] {
            let broker = StateHarness()
            let writer = broker.connect()
            broker.write([item], kept: [[1]], terms: terms, from: writer)
            #expect(broker.list(from: writer).first(Contents.self)?.terms?.expiresMilliseconds == time)
            broker.advance(by: (time ?? 1_000_000) - 1)
            #expect(broker.list(from: writer).first(Contents.self)?.handle != nil)
            broker.advance(by: 1)
            #expect((broker.list(from: writer).first(Contents.self)?.handle == nil) == (time != nil))
        }
    }

    @Test("Lists and the status show the terms as they were written, and the age of the contents")
    func shown() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        var terms = ContentTerms(transient: true, autogenerated: true, expires: 60_000, loads: 3)
        broker.promise("a", board: "one", terms: terms, from: writer)
        broker.advance(by: 1_500)
        terms.expiresMilliseconds = 58_500
        let contents = try #require(broker.list("one", from: writer).first(Contents.self))
        #expect(contents.terms == terms && contents.milliseconds == 1_500 && contents.version == 0)
        let board = try #require(broker.status(from: writer).compactMap(\.board).first)
        #expect(board.terms == terms && board.milliseconds == 1_500)

        broker.promise("a", board: "one", from: writer)
        let plain = try #require(broker.list("one", from: writer).first(Contents.self))
        #expect(plain.terms == nil && plain.milliseconds == 0)
    }
}
