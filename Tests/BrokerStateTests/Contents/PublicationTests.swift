import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct PublicationTests {
    @Test("A writer that replaces its own publication is sent its end before the new commit or with it, in one queue")
    func replacesItself() {
        let broker = StateHarness()
        let writer = broker.connect()
        let first = broker.write([Item("a")], from: writer)
        let second = broker.write([Item("b")], from: writer)
        let frames = broker.take(writer)
        #expect(frames.on(first).kinds == [.committed, .end])
        #expect(frames.on(second).kinds == [.committed])
        #expect(frames.allSatisfy { $0.order == .connection })
    }

    @Test("Writes of a peer that has stopped reading are performed, but its lists and loads are skipped")
    func unreadable() {
        let broker = StateHarness()
        let writer = broker.connect()
        let reader = broker.connect()
        broker.stopReading(writer)
        broker.write([Item([Representation("k", kept: true)])], kept: [[1]], from: writer)
        #expect(broker.list(from: reader).first(Item.self)?.representations.map(\.provision) == [.kept])
        #expect(broker.list(from: writer).isEmpty)
        let load = broker.load(from: writer)
        #expect(broker.take(writer).isEmpty && broker.held.loads == 0)
        // The stream of the load was opened nevertheless.
        broker.send(Cancel(), on: load, from: writer)
        #expect(broker.closed.isEmpty)
        broker.disconnect(writer)
    }

    @Test("Status contains peers, boards, loads, counters and limits, but no bytes and no hidden types")
    func status() throws {
        let broker = StateHarness()
        let source = broker.connect("source", process: 800)
        let reader = broker.connect("reader", process: 801)
        let secret: [UInt8] = Array("tremendous-secret".utf8)
        broker.write(
            [Item([Representation("a.open", kept: true), Representation("a.hidden", visibility: .ownProcess)])],
            kept: [secret],
            from: source
        )
        broker.promise("p", board: "two", from: source)
        broker.load(from: reader) { $0.board = "two" }
        let same = broker.connect(process: 800)
        broker.load(from: same) { $0.accepts = [Accept("a.hidden", match: .exact)] }
        _ = broker.take(reader)
        let stream = broker.newStream(of: reader)
        broker.send(Status(), on: stream, from: reader)
        let frames = broker.take(reader).on(stream)
        #expect(frames.last?.kind == .end && frames.dropLast().allSatisfy { $0.kind == .statusEntry })
        let entries = frames.all(StatusEntry.self)
        #expect(Set(entries.compactMap(\.peer?.label)) == ["source", "reader", ""])
        let boards = entries.compactMap(\.board)
        #expect(boards.map(\.name) == ["general", "two"])
        #expect(boards.first?.keptBytes == UInt64(secret.count) && boards.first?.types == ["a.open"])
        #expect(entries.compactMap(\.load?.type) == ["p"])
        #expect(entries.compactMap(\.load).first?.source == 800)
        #expect(entries.compactMap(\.limit).count == BrokerLimits.entries.count + BrokerLimits.fixed.count)
        #expect(entries.compactMap(\.counter).first { $0.name == "loads" }?.value == 2)
        let everything = String(decoding: frames.flatMap(\.payload), as: UTF8.self)
        #expect(!everything.contains("secret") && !everything.contains("a.hidden"))
    }
}
