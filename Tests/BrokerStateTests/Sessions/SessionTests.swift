import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite("Drag sessions from begin to transferred", .pure)
struct SessionTests {
    @Test("In a copy, each side is sent its frames in order, and nothing is left")
    func copy() throws {
        let broker = StateHarness()
        let source = broker.connect("source")
        let destination = broker.connect("destination")
        broker.register(from: destination)
        #expect(broker.take(destination).kinds == [.registered])
        let (drag, handle) = broker.drag([Item("public.text"), Item("public.png")], from: source)
        #expect(broker.take(destination).isEmpty, "nobody hears of a session that is not directed to him")

        broker.move(drag, to: "shelf", row: 2, sequence: 7, from: source)
        let frames = broker.take(destination)
        #expect(frames.kinds == [.session, .item, .item, .enter])
        let stream = frames[0].stream
        let session = frames[0].decode(Session.self)
        #expect(session.handle == handle && session.version == 1 && session.itemCount == 2)
        #expect(frames[3].decode(Enter.self).location?.indexPath == [0, 2])
        broker.propose(.copy, to: frames[3].decode(Enter.self).sequence ?? 0, on: stream, from: destination)
        let proposal = try #require(broker.take(source).first(Proposal.self))
        #expect(proposal.sequence == 7 && proposal.operation == .copy && proposal.refusal == nil)

        broker.send(Drop(), on: drag, from: source)
        #expect(broker.take(source).first(Dropped.self)?.operation == .copy)
        let perform = broker.take(destination)
        #expect(perform.kinds == [.perform])
        let load = broker.load(from: destination) { $0.handle = handle }
        let ask = try #require(broker.takeAsks(source).first)
        broker.send(Performed(), on: stream, from: destination)
        broker.send(Conclude(), on: stream, from: destination)
        #expect(broker.take(source).isEmpty, "transferred comes after the last load")
        broker.data([1, 2, 3], last: true, on: ask, from: source)
        #expect(broker.take(destination).on(load).bytes == [1, 2, 3])
        let result = broker.take(source).on(drag)
        #expect(result.kinds == [.transferred, .end])
        #expect(result.first(Transferred.self)?.items == [0])
        #expect(result.first(Transferred.self)?.failure == nil)
        broker.disconnect(source)
        broker.disconnect(destination)
        #expect(broker.held == .nothing)
    }
}
