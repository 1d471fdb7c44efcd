import BrokerState
import PasteboardWire
import Testing

/// Contents of processes that have ended, when living processes need the room.
@Suite struct LeftBehindTests {
    /// Writes kept bytes to a board by a process that ends afterwards.
    private func leave(_ count: Int, on board: String, in broker: StateHarness, process: UInt32? = nil) {
        let writer = broker.connect(process: process)
        let item = Item([Representation("a", byteCount: UInt64(count), kept: true)])
        broker.write([item], kept: [[UInt8](repeating: 1, count: count)], board: board, from: writer)
        #expect(broker.take(writer).codes == [])
        broker.disconnect(writer)
    }

    private func boards(_ broker: StateHarness) -> [String] {
        let reader = broker.connect()
        broker.send(Status(), on: broker.newStream(of: reader), from: reader)
        defer { broker.disconnect(reader) }
        return broker.take(reader).all(StatusEntry.self).compactMap(\.board).filter { $0.itemCount ?? 0 > 0 }.map(
            \.name
        )
    }

    @Test("The process that ended first makes room first, the general board last, and each is logged")
    func order() {
        let broker = StateHarness { $0.boards = 4 }
        for board in ["general", "c", "a", "b"] { leave(1, on: board, in: broker) }
        #expect(boards(broker) == ["a", "b", "c", "general"])
        for (board, left) in [("d", ["a", "b", "d", "general"]), ("e", ["b", "d", "e", "general"])] {
            leave(1, on: board, in: broker)
            #expect(boards(broker) == left)
        }
        let living = broker.connect()
        for board in ["v", "w", "x"] { broker.write([Item("p")], board: board, from: living) }
        #expect(boards(broker) == ["general", "v", "w", "x"])
        #expect(broker.evictions.map(\.board) == ["c", "a", "b", "d", "e"])
        #expect(broker.evictions.first?.text.hasPrefix("cleared pasteboard c, whose writer pid ") == true)
    }

    @Test("Many short-lived processes with many bytes and representations lock nobody out")
    func shortLived() {
        let broker = StateHarness {
            $0.keptPool = 1_000
            $0.keptRepresentations = 40
            $0.boards = 40
        }
        for number in 0..<200 { leave(Int(number % 3) * 300, on: "b\(number)", in: broker) }
        #expect(broker.held.keptBytes <= 1_000)
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

    @Test("Contents of a living process are not removed for another one")
    func living() {
        let broker = StateHarness { $0.boards = 2 }
        let first = broker.connect()
        for board in ["a", "b"] { broker.write([Item("p")], board: board, from: first) }
        _ = broker.take(first)
        let second = broker.connect()
        broker.write([Item("p")], board: "c", from: second)
        #expect(broker.take(second).codes == [.limitExceeded])
        #expect(boards(broker) == ["a", "b"] && broker.evictions.isEmpty)
    }

    @Test("A process that connects again owns what it has left behind")
    func reconnected() {
        let broker = StateHarness { $0.boards = 1 }
        leave(1, on: "mine", in: broker, process: 7)
        let again = broker.connect(process: 7)
        let other = broker.connect()
        broker.write([Item("p")], board: "other", from: other)
        #expect(broker.take(other).codes == [.limitExceeded])
        broker.disconnect(again)
        broker.write([Item("p")], board: "other", from: other)
        #expect(broker.take(other).codes == [] && boards(broker) == ["other"])
    }

    @Test("Contents that are being loaded stay until the load has ended")
    func loads() {
        for beginsLater in [false, true] {
            let broker = StateHarness { $0.boards = 1 }
            let writer = broker.connect()
            let item = Item([Representation("a", byteCount: 3, kept: true)])
            broker.write([item], kept: [[1, 2, 3]], board: "one", from: writer)
            let reader = broker.connect()
            if beginsLater { broker.disconnect(writer) }
            let load = broker.load(from: reader, credit: 1) { $0.board = "one" }
            if !beginsLater { broker.disconnect(writer) }
            _ = broker.take(reader)
            let other = broker.connect()
            broker.write([Item("p")], board: "two", from: other)
            #expect(broker.take(other).codes == [.limitExceeded])
            var credit = Credit()
            credit.offset = 10
            broker.send(credit, on: load, from: reader)
            #expect(broker.take(reader).on(load).bytes == [2, 3])
            broker.write([Item("p")], board: "two", from: other)
            #expect(broker.take(other).codes == [])
            #expect(boards(broker) == ["two"])
        }
    }

    @Test("All ended processes together count as one in the share rule")
    func shares() {
        let broker = StateHarness { $0.objects = 1_000 }
        for number in 0..<100 { leave(1, on: "b\(number)", in: broker) }
        let source = broker.connect()
        let items = (0..<100).map { Item("com.example.p\($0)") }
        broker.write(items, board: "large", from: source)
        #expect(broker.take(source).codes == [])
    }
}
