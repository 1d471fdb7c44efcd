import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// The names of boards that clients create, and what the status says of them: rule Y15.
@Suite(.pure) struct CreatedBoardTests {
    private let broker = StateHarness(firstChangeCount: 900)
    private let creator: PeerID
    private let other: PeerID

    init() {
        creator = broker.connect("creator")
        other = broker.connect("other")
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

    @Test("The status lists a created board until it ends, also after a clear, and no other board without contents")
    func listed() {
        let board = broker.createBoard(from: creator)
        for name in ["x", board.name] {
            broker.promise("a", board: name, from: other)
            broker.clear(name, from: other)
        }
        let status = broker.status(from: other).compactMap(\.board)
        #expect(status.map(\.name) == [board.name] && status.map(\.itemCount) == [0])
        broker.send(Cancel(), on: board.stream, from: creator)
        #expect(broker.status(from: other, history: true).allSatisfy { $0.board == nil })
    }
}
