import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Watches of all boards: the rules Y24 to Y26.
@Suite(.pure) struct AllBoardsWatchTests {
    private let broker = StateHarness(firstChangeCount: 900)
    private let writer: PeerID
    private let watcher: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        watcher = broker.connect("watcher", process: 8)
    }

    private func write(_ boards: String...) {
        for board in boards { broker.promise("a", board: board, from: writer) }
    }

    private func keep(_ board: String) {
        broker.write([Item([Representation("a", kept: true)])], kept: [[1]], board: board, from: writer)
        _ = broker.take(writer)
    }

    private func changes(on stream: UInt64, of peer: PeerID? = nil, at broker: StateHarness? = nil) -> [Change] {
        (broker ?? self.broker).takeChanges(peer ?? watcher, on: stream)
    }

    @Test("At another broker, contents that come back are reported only if the client does not know them")
    func otherBroker() {
        broker.setSaving(true)
        let stream = broker.watchAll(credit: 2, from: watcher)
        keep("known")
        for _ in 0..<9 { write("promised") }
        broker.advance(by: 100)
        #expect(changes(on: stream).map(\.totalChangeCount) == [901, 910])
        keep("late")
        let next = broker.successor()
        let (peer, source) = (next.connect("watcher", process: 8), next.connect("writer", process: 7))
        // The change count of the board is lower than the total, and its change was not reported.
        let again = next.watchAll(since: 910, epoch: 77, from: peer)
        #expect(next.take(peer).on(again).all(Change.self).map(\.board) == ["late"])
        let reclaim = next.begin(board: "promised", reclaiming: 909, of: 77, from: source)
        next.send(Item("a"), on: reclaim, from: source)
        next.commit(1, on: reclaim, from: source)
        next.advance(by: 100)
        #expect(next.take(peer).isEmpty)
        next.promise("b", board: "known", from: source)
        let sent = changes(on: again, of: peer, at: next)
        #expect(sent.map(\.board) == ["known"] && sent.map(\.epoch) == [78] && next.brokenInvariants().isEmpty)
        // A client of another machine's broker may have greater counts. All that was written here is new to it.
        let late = next.watchAll(since: .max, epoch: 76, from: peer)
        #expect(next.take(peer).on(late).all(Change.self).map(\.board) == ["known"])
    }

    @Test("A board that is removed is reported as empty, and so are the promises that it loses")
    func ends() {
        let stream = broker.watchAll(from: watcher)
        let created = broker.createBoard(from: writer)
        write(created.name)
        broker.send(Cancel(), on: created.stream, from: writer)
        write("x")
        broker.advance(by: 100)
        _ = changes(on: stream)
        broker.disconnect(writer)
        broker.advance(by: 100)
        let sent = changes(on: stream)
        #expect(sent.map(\.board) == ["x"] && sent.map(\.version) == [1] && sent.map(\.missed) == [0])
        broker.send(Cancel(), on: stream, from: watcher)
        #expect(broker.held.watches == 0 && broker.brokenInvariants().isEmpty)
    }

    @Test("A link is not told the name of a board whose contents do not exist for it")
    func links() {
        let link = broker.connect(process: 11, role: .link)
        let stream = broker.watchAll(from: link)
        let all = broker.watchAll(from: watcher)
        for board in ["secret", "shown"] {
            if board == "shown" { write(board) }
            broker.write([Item("a")], board: board, terms: ContentTerms(concealed: true), from: writer)
            broker.advance(by: 100)
            broker.clear(board, from: writer)
            broker.advance(by: 100)
        }
        #expect(Set(changes(on: all).map(\.board)) == ["secret", "shown"])
        let sent = changes(on: stream, of: link)
        #expect(Set(sent.map(\.board)) == ["shown"] && sent.first?.handle != nil && sent.last?.handle == nil)
    }

    @Test("Without credit, boards that were cleared take only so many places, and others are reported", .tags(.f28))
    func bounded() {
        let broker = StateHarness { $0.boards = 10 }
        let (writer, watcher) = (broker.connect(process: 7), broker.connect(process: 8))
        let stream = broker.watchAll(credit: 0, from: watcher)
        broker.promise("kept", board: "first", from: writer)
        var greatest = 0
        for number in 0..<1_000 {
            broker.promise("a", board: "\(number)", from: writer)
            broker.clear("\(number)", from: writer)
            greatest = max(greatest, broker.input { $0.watches.changedBoards?.count ?? 0 })
        }
        #expect((200...277).contains(greatest) && broker.brokenInvariants().isEmpty)
        broker.advance(by: 100)
        broker.credit(1_000, on: stream, from: watcher)
        let sent = broker.takeChanges(watcher, on: stream)
        #expect(sent.first?.board == "first" && sent.last?.board == "999" && (129...276).contains(sent.count))
    }

    @Test("A watch of all boards that names one, or does not list the feature, is refused")
    func invalid() {
        for (board, feature) in [("x", .allBoards), (nil, .watches)] as [(String?, Feature)] {
            var watch = Watch()
            watch.allBoards = true
            watch.board = board
            watch.requires = [feature.rawValue]
            let stream = broker.newStream(of: watcher)
            broker.send(watch, on: stream, from: watcher)
            #expect(broker.take(watcher).on(stream).codes == [.invalidArgument])
        }
        #expect(broker.held.watches == 0)
    }
}
