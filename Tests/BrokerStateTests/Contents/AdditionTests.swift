import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Additions of a writer to its own contents on a board.
@Suite(.pure) struct AdditionTests {
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
}
