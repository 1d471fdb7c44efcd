import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Many watches of a board that changes all the time.
@Suite(.pure) struct WatchStormTests {
    private static let peers = 512
    private static let watchesPerPeer = 8

    @Test(
        "With 4,096 watches a write costs the same, rounds are 100 ms apart, and each watch reports the last change",
        .tags(.f47)
    )
    func storm() {
        let broker = StateHarness()
        let writer = broker.connect("writer", process: 1)
        let watchers = (0..<Self.peers).map { broker.connect(process: 2 + UInt32($0 % 16)) }
        broker.promise("a", from: writer)
        broker.promise("a", from: writer)
        let cost = broker.inputCost
        var streams: [PeerID: [UInt64]] = [:]
        for peer in watchers {
            streams[peer] = (0..<Self.watchesPerPeer).map { _ in broker.watch(from: peer) }
            _ = broker.take(peer)
        }
        #expect(broker.held.watches == 4_096)
        // Let the round of the writes before end.
        broker.advance(by: 100)
        var changes: [PeerID: Int] = [:]
        var last: UInt64 = 0
        var reported: [PeerID: UInt64] = [:]
        func count() {
            for peer in watchers {
                let frames = broker.take(peer)
                guard !frames.isEmpty else { continue }
                changes[peer, default: 0] += frames.count
                let counts = (streams[peer] ?? []).map { frames.on($0).last?.decode(Change.self).changeCount }
                if Set(counts) == [last] { reported[peer] = last }
            }
        }
        for _ in 0..<1_000 {
            last = broker.promise("a", from: writer).changeCount ?? 0
            #expect(broker.inputCost == cost)
            count()
            broker.advance(by: 1)
            count()
        }
        broker.advance(by: 100)
        count()
        // 1,000 ms, and perhaps a last round after it.
        let rounds = Set(changes.values)
        #expect(rounds.count == 1 && rounds.isSubset(of: (9...11).map { $0 * Self.watchesPerPeer }), "\(rounds)")
        #expect(Set(reported.values) == [last] && reported.count == Self.peers)
        #expect(broker.roundPieces.greatestCost <= 1_001 && broker.greatestChangesCost <= 1_200)
        #expect(broker.brokenInvariants().isEmpty)
        for peer in watchers { broker.disconnect(peer) }
        #expect(broker.held.watches == 0 && broker.brokenInvariants().isEmpty)
    }
}
