import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Boards that clients create, the removal of boards, and clears of boards that are not remembered: the rules Y15 to
/// Y17.
@Suite(.pure) struct CreatedBoardTests {
    private let broker = StateHarness(firstChangeCount: 900)
    private let creator: PeerID
    private let other: PeerID

    init() {
        creator = broker.connect("creator")
        other = broker.connect("other")
    }

    private func listed(history: Bool? = nil) -> [String?] {
        broker.status(from: other, history: history).compactMap(\.board).map(\.name)
    }

    @Test("A created board has a name that no other board has, and is listed without items")
    func names() {
        let boards = (0..<20).map { _ in broker.createBoard(from: creator).name }
        #expect(Set(boards).count == 20)
        #expect(boards.allSatisfy { $0.hasPrefix("unique-") && $0.utf8.count == 23 })
        let status = broker.status(from: other).compactMap(\.board)
        #expect(Set(status.map(\.name)) == Set(boards) && status.allSatisfy { $0.itemCount == 0 })
        #expect(broker.held.createdBoards == 20 && broker.brokenInvariants().isEmpty)
    }

    @Test("A created board does not get the name of a board that somebody has guessed")
    func guessed() {
        let twin = StateHarness(firstChangeCount: 900)
        let name = twin.createBoard(from: twin.connect()).name
        let second = StateHarness(firstChangeCount: 900)
        let peer = second.connect()
        second.promise("a", board: name, from: peer)
        #expect(second.createBoard(from: peer).name != name)
        #expect(StateHarness(epoch: 78).createBoard(from: peer).name != name)
    }

    @Test("A created board is written and loaded like any other, and its contents cost no further board")
    func contents() {
        let broker = StateHarness { $0.boards = 2 }
        let (creator, writer) = (broker.connect(), broker.connect())
        let board = broker.createBoard(from: creator)
        broker.promise("a", board: board.name, from: writer)
        #expect(broker.brokenInvariants().isEmpty)
        broker.load(from: creator) { $0.board = board.name }
        #expect(broker.takeAsks(writer).count == 1)
        broker.clear(board.name, from: writer)
        #expect(broker.status(from: writer).compactMap(\.board).map(\.itemCount) == [0])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A created board and its contents are removed at the end of its stream", arguments: [true, false])
    func ends(isCancelled: Bool) {
        let board = broker.createBoard(from: creator)
        let publication = broker.write([Item("a")], board: board.name, from: other)
        let count = broker.changeCount(of: board.name, for: other)
        let stream = broker.watch(board.name, from: other)
        _ = broker.take(other)
        if isCancelled { broker.send(Cancel(), on: board.stream, from: creator) } else { broker.disconnect(creator) }
        let frames = broker.take(other)
        #expect(frames.on(publication).first(End.self)?.reason == .cleared)
        let change = frames.on(stream).first(Change.self)
        #expect(change?.changeCount == count + 1 && change?.handle == nil)
        #expect(broker.take(creator).isEmpty && listed(history: true).isEmpty && broker.held.createdBoards == 0)
        #expect(broker.changeCount(of: board.name, for: other) > count)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A created board that was cleared is remembered, and later boards have other names")
    func cleared() {
        let first = broker.createBoard(from: creator)
        broker.clear(first.name, from: other)
        #expect(broker.changeCount(of: first.name, for: other) == 901 && listed() == [first.name])
        broker.remove(first.name, from: other)
        #expect(broker.createBoard(from: creator).name != first.name)
    }

    @Test("A program may create only its share of boards")
    func share() {
        let broker = StateHarness { $0.boards = 8 }
        let (greedy, other) = (broker.connect(), broker.connect())
        let created = (0..<8).count { _ in !broker.createBoard(from: greedy).name.isEmpty }
        #expect((1..<8).contains(created))
        #expect(!broker.createBoard(from: other).name.isEmpty)
        _ = broker.take(greedy)
        var request = CreateBoard()
        request.requires = []
        broker.send(request, on: broker.newStream(of: greedy), from: greedy)
        #expect(broker.take(greedy).codes == [.limitExceeded])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A new board takes the place of a board whose writer has ended")
    func evicts() {
        let broker = StateHarness { $0.boards = 1 }
        let gone = broker.connect()
        broker.promise("a", board: "left", from: gone)
        broker.disconnect(gone)
        let creator = broker.connect()
        let board = broker.createBoard(from: creator)
        #expect(broker.status(from: creator).compactMap(\.board).map(\.name) == [board.name])
        #expect(broker.brokenInvariants().isEmpty)
    }

    // MARK: Removal

    @Test("A removal obeys its condition, and must list the feature")
    func conditions() {
        broker.promise("a", board: "x", from: other)
        #expect(broker.remove("x", ifChangeCount: 900, from: creator).codes == [.superseded])
        var clear = Clear()
        clear.board = "x"
        clear.removesBoard = true
        broker.send(clear, on: broker.newStream(of: creator), from: creator)
        #expect(broker.take(creator).codes == [.invalidArgument])
        #expect(listed() == ["x"])
        #expect(broker.remove("x", ifChangeCount: 901, from: creator).kinds == [.committed, .end])
    }

    @Test("The standard boards are not removed", arguments: [nil, "general", "find", "primary", "drag"] as [String?])
    func standard(_ board: String?) {
        broker.promise("a", board: board, from: other)
        #expect(broker.remove(board, from: creator).codes == [.notPermitted])
        #expect(listed() == [board ?? "general"])
    }

    @Test("A removal of a watched board is reported, and the board stays unknown")
    func watched() {
        broker.promise("a", board: "x", from: other)
        let stream = broker.watch("x", from: creator)
        _ = broker.take(creator)
        broker.remove("x", from: other)
        let change = broker.take(creator).on(stream).first(Change.self)
        #expect(change?.changeCount == 902 && change?.handle == nil)
        broker.advance(by: 100)
        #expect(broker.remove("x", from: other).first(Committed.self)?.changeCount == 902)
        broker.promise("a", board: "x", from: other)
        #expect(broker.takeChanges(creator, on: stream).map(\.changeCount) == [903])
        #expect(broker.brokenInvariants().isEmpty)
    }

    // MARK: Clears of boards that are not remembered

    @Test("A clear of a board that is not remembered changes nothing", arguments: [true, false])
    func unknown(removes: Bool) {
        let watcher = broker.connect()
        let stream = broker.watch("x", from: watcher)
        for name in ["x", "y"] {
            let frames: [Frame]
            if removes {
                frames = broker.remove(name, from: other)
            } else {
                let clear = broker.clear(name, from: other)
                frames = broker.take(other).on(clear)
            }
            #expect(frames.kinds == [.committed, .end] && frames.first(Committed.self)?.changeCount == 900)
        }
        broker.advance(by: 100)
        #expect(broker.takeChanges(watcher, on: stream).isEmpty)
        #expect(listed(history: true).isEmpty && broker.changeCount(of: "x", for: other) == 900)
    }

    @Test("Clearing a board that is remembered increases its count, though it is empty, and it is in no list")
    func clearingNothing() {
        broker.promise("a", board: "x", from: other)
        for count in [902, 903, 904] as [UInt64] {
            let clear = broker.clear("x", from: other)
            #expect(broker.take(other).on(clear).first(Committed.self)?.changeCount == count)
        }
        #expect(listed().isEmpty)
    }

    @Test("Clears of names that nobody uses do not displace boards that are remembered")
    func displaced() {
        broker.promise("a", board: "x", from: other)
        broker.clear("x", from: other)
        for number in 0..<1_000 { broker.clear("nothing \(number)", from: other) }
        #expect(broker.changeCount(of: "x", for: other) == 902)
        #expect(broker.changeCount(of: "nothing 0", for: other) == 900)
    }
}
