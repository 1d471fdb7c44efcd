import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

/// Watches of boards: the rules Y10 to Y14.
@Suite(.pure) struct WatchTests {
    private let broker = StateHarness(firstChangeCount: 900)
    private let writer: PeerID
    private let watcher: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        watcher = broker.connect("watcher", process: 8)
    }

    @Test("A change has the types of all items, each once, at most 64")
    func types() {
        let stream = broker.watch(from: watcher)
        let items = (0..<10).map { item in Item((0..<10).map { Representation("t\(item * 8 + $0)") }) }
        broker.write(items, from: writer)
        let types = broker.takeChanges(watcher, on: stream).first?.types ?? []
        #expect(types == (0..<64).map { "t\($0)" })
    }

    // MARK: Reading

    @Test(
        "A peer that does not read is sent nothing more, whatever its credit, and the last state when it reads",
        .tags(.f28)
    )
    func unread() {
        broker.readsChanges = false
        let streams = (0..<200).map { _ in broker.watch(from: watcher) }
        _ = broker.take(watcher)
        for _ in 0..<50 {
            broker.promise("a", from: writer)
            broker.advance(by: 100)
        }
        #expect(broker.take(watcher).isEmpty)
        broker.continueChanges(for: watcher, pieces: 1)
        let piece = broker.take(watcher)
        #expect((1..<200).contains(piece.count))
        broker.continueChanges(for: watcher)
        let frames = piece + broker.take(watcher)
        #expect(streams.allSatisfy { frames.on($0).all(Change.self).map(\.changeCount) == [950] })
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("The watches of a peer that reads slowly take turns")
    func turns() {
        broker.readsChanges = false
        for _ in 0..<1_000 { _ = broker.watch(from: watcher) }
        _ = broker.take(watcher)
        let pieces = (0..<2).map { _ in
            broker.promise("a", from: writer)
            broker.advance(by: 100)
            broker.continueChanges(for: watcher, pieces: 1)
            return Set(broker.take(watcher).map(\.stream))
        }
        #expect(!pieces[0].isEmpty && pieces[0].isDisjoint(with: pieces[1]))
    }

    @Test("A peer to which nothing can be sent is sent no changes")
    func deaf() {
        _ = broker.watch(from: watcher)
        _ = broker.take(watcher)
        broker.stopReading(watcher)
        broker.promise("a", from: writer)
        #expect(broker.take(watcher).isEmpty)
        broker.disconnect(watcher)
        #expect(broker.held.watches == 0 && broker.brokenInvariants().isEmpty)
    }

    // MARK: Ends

    @Test("A watch that ends in the middle of a round does not disturb it")
    func endsInRound() {
        broker.readsChanges = false
        let others = (0..<5).map { _ in broker.connect() }
        let streams = others.map { broker.watch(from: $0) }
        for peer in others { _ = broker.take(peer) }
        broker.promise("a", from: writer)
        broker.send(Cancel(), on: streams[0], from: others[0])
        broker.disconnect(others[2])
        for peer in others { broker.continueChanges(for: peer) }
        #expect([0, 1, 3, 4].map { broker.take(others[$0]).count } == [0, 1, 1, 1])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A change during a round is reported by visited watches, even if only one of them is left")
    func changeDuringRound() {
        let peers = [watcher, broker.connect(), broker.connect()]
        // One piece of a round visits all watches except the first one.
        let streams = ([0] + [Int](repeating: 1, count: 998) + [2]).map { broker.watch(from: peers[$0]) }
        broker.input { state in
            _ = state.set(BoardName.general, to: nil, reason: .cleared)
            state.continueRounds()
            _ = state.continueChanges(for: peers[2])
            state.disconnected(peers[1])
            _ = state.set(BoardName.general, to: nil, reason: .cleared)
        }
        #expect(broker.takeChanges(peers[2], on: streams[999]).map(\.changeCount) == [901])
        broker.advance(by: 100)
        #expect(broker.takeChanges(peers[2], on: streams[999]).map(\.changeCount) == [902])
        #expect(broker.takeChanges(peers[0], on: streams[0]).map(\.changeCount) == [902])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("The status counts the watches")
    func status() {
        for _ in 0..<3 { _ = broker.watch(from: watcher) }
        let counters = broker.status(from: writer).compactMap(\.counter)
        #expect(counters.first { $0.name == "watches" }?.value == 3)
    }
}
