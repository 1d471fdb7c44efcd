import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents of processes that have ended, when living processes need the room.
@Suite(.pure) struct LeftBehindTests {
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
        let broker = StateHarness { $0.boards = 3 }
        // The change counts are in another order: that of the board c is the highest.
        for board in ["general", "c", "c", "a", "b"] { leave(1, on: board, in: broker) }
        #expect(boards(broker) == ["a", "b", "c", "general"])
        for (board, left) in [("d", ["a", "b", "d", "general"]), ("e", ["b", "d", "e", "general"])] {
            leave(1, on: board, in: broker)
            #expect(boards(broker) == left)
        }
        for board in ["v", "w", "x"] { broker.write([Item("p")], board: board, from: broker.connect()) }
        #expect(boards(broker) == ["general", "v", "w", "x"])
        #expect(broker.evictions.map(\.board) == ["c", "a", "b", "d", "e"])
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

    @Test("Contents of a living process are not removed for another one")
    func living() {
        let broker = StateHarness { $0.boards = 2 }
        for board in ["a", "b"] { broker.write([Item("p")], board: board, from: broker.connect()) }
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

    @Test("Contents that were replaced stay charged while they are loaded, also after their writer has ended")
    func replaced() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        leave(300, on: "left", in: broker)
        let writer = broker.connect()
        let large = Item([Representation("a", byteCount: 890, kept: true)])
        broker.write([large], kept: [[UInt8](repeating: 1, count: 890)], board: "one", from: writer)
        let reader = broker.connect()
        broker.load(from: reader, credit: 0) { $0.board = "one" }
        broker.write([Item("p")], board: "one", from: writer)
        broker.disconnect(writer)
        let other = broker.connect()
        _ = broker.write([Item([Representation("a", byteCount: 600, kept: true)])], board: "two", from: other)
        #expect(broker.take(other).codes == [.noSpace])
        #expect(boards(broker) == ["left", "one"] && broker.evictions.isEmpty)
        broker.disconnect(reader)
        _ = broker.take(other)
        broker.write(
            [Item([Representation("a", byteCount: 600, kept: true)])],
            kept: [[UInt8](repeating: 2, count: 600)],
            from: other
        )
        #expect(broker.take(other).codes == [])
    }

    @Test("A write evicts nothing before it is committed, and may depend on the contents that it evicts")
    func pending() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        leave(890, on: "general", in: broker)
        leave(600, on: "other", in: broker)
        let writer = broker.connect()
        let large = Item([Representation("a", byteCount: 800, kept: true)])
        let abandoned = broker.begin(from: writer)
        broker.send(large, on: abandoned, from: writer)
        broker.send(Cancel(), on: abandoned, from: writer)
        #expect(boards(broker) == ["general", "other"] && broker.evictions.isEmpty)
        let count = broker.list(from: writer).first(Contents.self)?.changeCount
        var write = Write()
        write.ifChangeCount = count
        write.requires = [Feature.condition.rawValue]
        let stream = broker.newStream(of: writer)
        broker.send(write, on: stream, from: writer)
        broker.send(large, on: stream, from: writer)
        broker.data(count: 800, last: true, on: stream, from: writer)
        broker.send(Commit(), on: stream, from: writer)
        #expect(broker.take(writer).on(stream).kinds == [.committed])
        #expect(broker.held.keptBytes == 1_400 && broker.evictions.isEmpty)
    }

    @Test("A writer learns which boards were cleared for it, and a reader since when such a board is empty")
    func told() throws {
        let broker = StateHarness { $0.boards = 2 }
        for board in ["a", "b", "general"] { leave(1, on: board, in: broker) }
        let writer = broker.connect()
        broker.write([Item("p")], board: "c", from: writer)
        #expect(broker.take(writer).first(Committed.self)?.clearedBoards == ["a"])
        broker.write([Item("p")], from: writer)
        #expect(broker.take(writer).first(Committed.self)?.clearedBoards == [])
        broker.advance(by: 5_000)
        #expect(broker.list("a", from: writer).first(Contents.self)?.clearedMilliseconds == 5_000)
        #expect(broker.list("other", from: writer).first(Contents.self)?.clearedMilliseconds == nil)
        broker.load(from: writer) { $0.board = "a" }
        #expect(
            broker.take(writer).first(Failure.self)?.text.contains("cleared 5 s ago to make room") == true
        )
        // A later write or clear is the reason for the present state, so the eviction is not reported any more.
        let other = broker.connect()
        broker.write([Item("p")], board: "a", from: other)
        #expect(broker.take(other).first(Committed.self)?.clearedBoards == ["b"])
        broker.clear("a", from: writer)
        #expect(broker.list("a", from: writer).first(Contents.self)?.clearedMilliseconds == nil)
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

    @Test("A write that may evict nothing counts on no room of contents that a load still reads")
    func evictsNothingWhileLoading() {
        let broker = StateHarness { $0.keptPool = 2_000 }
        leave(600, on: "other", in: broker)
        leave(890, on: "left", in: broker)
        broker.load(from: broker.connect(), credit: 0) { $0.board = "left" }
        let writer = broker.connect()
        let item = Item([Representation("a", byteCount: 600, kept: true)])
        let bytes = [[UInt8](repeating: 2, count: 600)]
        broker.write([item], kept: bytes, board: "left", evictsNothing: true, from: writer)
        #expect(broker.take(writer).codes == [.noSpace] && broker.evictions.isEmpty)
    }

    @Test("Boards that a link may not see are cleared for it without their names")
    func hidden() {
        let broker = StateHarness { $0.boards = 1 }
        let writer = broker.connect()
        var terms = ContentTerms()
        terms.isLocalOnly = true
        broker.promise("p", board: "secret", terms: terms, from: writer)
        broker.disconnect(writer)
        let link = broker.connect(role: .link)
        broker.write([Item("p")], board: "other", from: link)
        #expect(broker.take(link).first(Committed.self)?.clearedBoards == [])
        #expect(broker.evictions.map(\.board) == ["secret"])
        #expect(broker.list("secret", from: link).first(Contents.self)?.clearedMilliseconds == nil)
        broker.load(from: link) { $0.board = "secret" }
        #expect(broker.take(link).first(Failure.self)?.text == "pasteboard secret is empty")
        #expect(broker.list("secret", from: broker.connect()).first(Contents.self)?.clearedMilliseconds == 0)
    }

    @Test("A write that may evict nothing fails at its commit instead, and changes nothing")
    func evictsNothing() {
        let broker = StateHarness {
            $0.keptPool = 2_000
            $0.boards = 3
        }
        leave(890, on: "left", in: broker)
        leave(600, on: "other", in: broker)
        for (count, board, code) in [
            (800, "new", .noSpace), (400, "new", nil), (1, "one more", .noSpace), (1, "general", nil),
            // Contents that it replaces leave their room to it.
            (800, "left", nil),
        ] as [(Int, String, ErrorCode?)] {
            let (writer, before) = (broker.connect(), boards(broker))
            let item = Item([Representation("a", byteCount: UInt64(count), kept: true)])
            let bytes = [[UInt8](repeating: 2, count: count)]
            broker.write([item], kept: bytes, board: board, evictsNothing: true, from: writer)
            #expect(broker.take(writer).codes == (code.map { [$0] } ?? []), "\(count) on \(board)")
            broker.disconnect(writer)
            #expect(broker.evictions.isEmpty && (code == nil || boards(broker) == before))
        }
    }

    @Test("Bytes of a cached load evict nothing before the load is complete")
    func pendingCache() throws {
        let broker = StateHarness { $0.keptPool = 2_000 }
        leave(890, on: "first", in: broker)
        leave(600, on: "second", in: broker)
        let source = broker.connect()
        broker.promiseOnce(from: source)
        broker.load(from: broker.connect())
        let ask = try #require(broker.takeAsks(source).first)
        broker.send(Answer(byteCount: 800), on: ask, from: source)
        broker.write([Item("a")], board: "new", from: source)
        #expect(broker.held.keptBytes == 2_290 && broker.evictions.isEmpty)
        broker.data(count: 800, last: true, on: ask, from: source)
        #expect(broker.evictions.map(\.board) == ["first"])
    }

    @Test("Only contents that have what is missing are evicted, and promises of ended processes first")
    func useful() {
        let broker = StateHarness {
            $0.keptPool = 1_200
            $0.boards = 5
        }
        leave(500, on: "r", in: broker)
        leave(500, on: "s", in: broker)
        let writer = broker.connect()
        for board in ["p", "q"] { broker.write([Item("gone")], board: board, from: writer) }
        broker.disconnect(writer)
        leave(500, on: "t", in: broker)
        #expect(broker.evictions.map(\.board) == ["r"])
        leave(1, on: "u", in: broker)
        leave(1, on: "v", in: broker)
        #expect(broker.evictions.map(\.board) == ["r", "p"])
    }

    @Test("Contents on a created board are not evicted for another board, because that would free none")
    func createdBoard() {
        let broker = StateHarness { $0.boards = 3 }
        let created = broker.createBoard(from: broker.connect()).name
        let writer = broker.connect()
        broker.promise("gone", board: created, from: writer)
        broker.disconnect(writer)
        for board in ["a", "b", "c"] { leave(1, on: board, in: broker) }
        #expect(broker.evictions.map(\.board) == ["a"])
    }

    @Test("Neither objects nor metadata that ended processes have left keep others from promising and loading")
    func objects() {
        let broker = StateHarness {
            $0.objects = 1_000
            $0.boards = 200
        }
        for number in 0..<100 {
            let writer = broker.connect()
            let items = (0..<100).map { Item("com.example.p\($0)") }
            broker.write(items, board: "b\(number)", from: writer)
            #expect(broker.take(writer).codes == [])
            broker.disconnect(writer)
            #expect(broker.held.objects <= 1_000)
        }
    }
}
