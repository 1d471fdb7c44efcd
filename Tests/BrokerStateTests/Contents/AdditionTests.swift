import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Additions of a writer to its own contents on a board.
@Suite(.pure) struct AdditionTests {

    @Test("A type that was added is found by its supertypes")
    func supertypes() {
        let broker = StateHarness()
        let writer = broker.connect()
        let handle = broker.promise("com.example.a", from: writer).handle
        let added = Item([Representation("com.example.b", supertypes: ["com.example.c"])])
        broker.write([added], adding: handle, from: writer)
        let load = broker.load(from: writer) { $0.accepts = [Accept("com.example.c")] }
        #expect(broker.take(writer).first(Ask.self)?.representation == 1)
        #expect(broker.take(writer).on(load).isEmpty)
    }

    enum Wrong: CaseIterable {
        case unknown, replaced, cleared, foreign, withdrawn, session
    }

    @Test("Only current contents that the same connection has written can be added to", arguments: Wrong.allCases)
    func superseded(_ wrong: Wrong) throws {
        let broker = StateHarness()
        let writer = broker.connect(process: 7)
        let first = broker.write([Item([Representation("a", kept: true)])], kept: [[1]], from: writer)
        var handle = try #require(broker.take(writer).first(Committed.self)?.handle)
        var peer = writer
        switch wrong {
        case .unknown: handle += 1
        case .replaced: broker.promise("b", from: writer)
        case .cleared: broker.clear(from: writer)
        case .foreign: peer = broker.connect(process: 7)
        case .withdrawn: broker.send(Cancel(), on: first, from: writer)
        case .session:
            let drag = broker.newStream(of: writer)
            broker.send(Drag(), on: drag, from: writer)
            broker.send(Item("a"), on: drag, from: writer)
            broker.commit(1, on: drag, from: writer)
            handle = try #require(broker.take(writer).on(drag).first(Committed.self)?.handle)
        }
        _ = broker.take(peer)
        let stream = broker.begin(adding: handle, from: peer)
        #expect(broker.take(peer).on(stream).codes == [.superseded])
        #expect(broker.held.writes == 0 && broker.closed.isEmpty)
    }

    @Test("Contents that end before the commit of an addition get none of it", arguments: [true, false])
    func supersededMeanwhile(_ expires: Bool) {
        let broker = StateHarness()
        let writer = broker.connect()
        let handle = broker.promise("a", terms: ContentTerms(expires: 5_000), from: writer).handle
        let stream = broker.begin(adding: handle, from: writer)
        broker.send(Item([Representation("b", kept: true)]), on: stream, from: writer)
        broker.data([1], last: true, on: stream, from: writer)
        if expires { broker.advance(by: 5_000) } else { broker.promise("c", from: writer) }
        broker.commit(1, on: stream, from: writer)
        #expect(broker.take(writer).on(stream).codes == [.superseded])
        #expect(broker.openMemory == 0 && broker.held.writes == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("The condition of an addition is checked for the board of the contents, at the begin and at the commit")
    func condition() throws {
        let broker = StateHarness()
        let writer = broker.connect()
        let committed = broker.promise("a", board: "one", from: writer)
        let count = try #require(committed.changeCount)
        let wrong = broker.begin(ifChangeCount: count + 1, adding: committed.handle, from: writer)
        let right = broker.write([Item("b")], ifChangeCount: count, adding: committed.handle, from: writer)
        let frames = broker.take(writer)
        #expect(frames.on(wrong).codes == [.superseded] && frames.on(right).kinds == [.committed, .end])
    }

    @Test("Additions obey the limits of a write, and nothing is added beyond them")
    func limits() {
        let broker = StateHarness { $0.metadataPerPublication = 30_000 }
        let writer = broker.connect()
        let types = (0..<40).map { Representation("type\($0)") }
        broker.write([Item(types)], from: writer)
        let handle = broker.take(writer).first(Committed.self)?.handle
        let many = broker.write([Item((40..<65).map { Representation("type\($0)") })], adding: handle, from: writer)
        let items = broker.write((0..<513).map { _ in Item("x") }, adding: handle, from: writer)
        let supertypes = (0..<60).map { "\($0)" + String(repeating: "x", count: 400) }
        let names = Item([Representation("a", supertypes: supertypes)])
        let fits = broker.write([names], adding: handle, from: writer)
        var other = names
        other.representations[0].type = "b"
        let long = broker.write([other], adding: handle, from: writer)
        let frames = broker.take(writer)
        #expect(frames.on(many).codes == [.limitExceeded] && frames.on(items).codes == [.limitExceeded])
        #expect(frames.on(fits).kinds == [.committed, .end] && frames.on(long).codes == [.limitExceeded])
        let contents = broker.list(from: writer)
        #expect(contents.first(Contents.self)?.version == 1 && contents.first(Item.self)?.representations.count == 41)
        #expect(broker.closed.isEmpty && broker.brokenInvariants().isEmpty)
    }

    @Test("A representation that not everybody may see restricts the contents, which are loaded in place no more")
    func restricted() {
        let broker = StateHarness()
        let writer = broker.connect()
        let handle = broker.promise("a", from: writer).handle
        broker.write([Item([Representation("b", visibility: .ownProcess)])], adding: handle, from: writer)
        let reader = broker.connect()
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.type) == ["a"])
        let load = broker.load(from: reader) { $0.accepts = [Accept("b", match: .exact)] }
        #expect(broker.take(reader).on(load).codes == [.typeUnavailable])
    }

    @Test("Items that are added to contents with a limited number of loads can be loaded as often as the others")
    func counted() {
        let broker = StateHarness()
        let writer = broker.connect()
        let item = Item([Representation("a", kept: true)])
        let stream = broker.write([item], kept: [[1]], terms: ContentTerms(loads: 2), from: writer)
        let handle = broker.take(writer).on(stream).first(Committed.self)?.handle
        broker.load(from: writer)
        broker.write([Item([]), item], kept: [[2]], adding: handle, from: writer)
        #expect(broker.list(from: writer).first(Contents.self)?.terms?.maximumLoads == 2)
        broker.load(from: writer)
        for _ in 0..<2 { broker.load(from: writer) { $0.item = 1 } }
        #expect(broker.take(writer).on(stream).first(End.self)?.reason == .loaded)
        #expect(broker.openMemory == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("Small contents that have room only outside the pools cannot be added to")
    func outsideThePools() {
        let broker = StateHarness { $0.objects = 3 }
        let writer = broker.connect()
        let handle = broker.promise("a", from: writer).handle
        let stream = broker.write([Item("b")], adding: handle, from: writer)
        #expect(handle != nil && broker.take(writer).on(stream).codes == [.limitExceeded])
        #expect(broker.list(from: writer).first(Item.self)?.representations.count == 1)
        #expect(broker.brokenInvariants().isEmpty)
    }
}
