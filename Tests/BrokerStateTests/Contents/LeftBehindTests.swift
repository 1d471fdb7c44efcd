import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents of processes that have ended, when living processes need the room.
@Suite(.pure) struct LeftBehindTests {
    /// Writes kept bytes to a board by a process that ends afterwards.
    private func leave(_ count: Int, on board: String, in broker: StateHarness) {
        let writer = broker.connect()
        let item = Item([Representation("a", byteCount: UInt64(count), kept: true)])
        broker.write([item], kept: [[UInt8](repeating: 1, count: count)], board: board, from: writer)
        #expect(broker.take(writer).codes == [])
        broker.disconnect(writer)
    }

    @Test("The log shows each board that is cleared for another process")
    func logged() {
        let broker = StateHarness { $0.boards = 1 }
        for board in ["c", "a", "b"] { leave(1, on: board, in: broker) }
        #expect(broker.evictions.map(\.board) == ["c", "a"])
        #expect(broker.evictions.first?.text.hasPrefix("cleared pasteboard c, whose writer pid ") == true)
    }

    @Test("Many short-lived processes with many bytes and representations lock nobody out", .tags(.f46))
    func shortLived() {
        let broker = StateHarness {
            $0.keptPool = 2_000
            $0.keptRepresentations = 40
            $0.boards = 40
        }
        for number in 0..<200 { leave(Int(number % 3) * 300, on: "b\(number)", in: broker) }
        #expect(broker.held.keptBytes <= 2_000)
        let copy = broker.connect()
        broker.write(
            [Item([Representation("a", byteCount: 600, kept: true)])],
            kept: [[UInt8](repeating: 2, count: 600)],
            from: copy
        )
        #expect(broker.take(copy).kinds == [.committed])
        for number in 0..<200 { broker.clear("b\(number)", from: copy) }
        broker.clear("general", from: copy)
        broker.disconnect(copy)
        #expect(broker.held == .nothing)
    }

    @Test("A board that somebody has cleared since is not said to have made room, even when it is forgotten")
    func forgotten() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        leave(890, on: "a", in: broker)
        leave(600, on: "b", in: broker)
        leave(800, on: "c", in: broker)
        let reader = broker.connect()
        #expect(broker.list("a", from: reader).first(Contents.self)?.clearedMilliseconds == 0)
        broker.clear("a", from: reader)
        for number in 0..<200 {
            broker.write([Item("p")], board: "x\(number)", from: reader)
            broker.clear("x\(number)", from: reader)
        }
        #expect(broker.list("a", from: reader).first(Contents.self)?.clearedMilliseconds == nil)
    }
}
