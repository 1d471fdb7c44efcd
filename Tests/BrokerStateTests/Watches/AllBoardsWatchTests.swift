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
        for _ in 0..<9 { broker.promise("a", board: "promised", from: writer) }
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
}
