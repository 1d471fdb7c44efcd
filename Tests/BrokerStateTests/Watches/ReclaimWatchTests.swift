import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Watches of boards whose contents come back: the rules Y11, Y12 and Y22.
@Suite(.pure) struct ReclaimWatchTests {
    /// A broker that has replaced the one with the epoch 77.
    private let broker = StateHarness(firstChangeCount: 9_000, epoch: 78)
    private let writer: PeerID
    private let watcher: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        watcher = broker.connect("watcher", process: 8)
    }

    private func reclaim(_ count: UInt64, of epoch: UInt64 = 77) {
        let stream = broker.begin(reclaiming: count, of: epoch, from: writer)
        broker.send(Item("a"), on: stream, from: writer)
        broker.commit(1, on: stream, from: writer)
        #expect(broker.take(writer).on(stream).kinds == [.committed])
    }

    private func changes(on stream: UInt64) -> [Change] { broker.takeChanges(watcher, on: stream) }

    @Test("For 2 s after the start, a watch of another epoch is not sent the state of a board that does not exist")
    func lost() {
        broker.advance(by: 500)
        let stream = broker.watch(since: 5_001, epoch: 77, from: watcher)
        #expect(broker.take(watcher).on(stream).kinds == [.registered])
        broker.advance(by: 1_499)
        #expect(broker.take(watcher).isEmpty && broker.brokenInvariants().isEmpty)
        broker.advance(by: 1)
        let sent = changes(on: stream)
        #expect(sent.map(\.changeCount) == [9_000] && sent.map(\.epoch) == [78])
        #expect(sent.map(\.missed) == [nil] && sent.map(\.handle) == [nil])
        broker.advance(by: 5_000)
        #expect(broker.take(watcher).isEmpty && broker.brokenInvariants().isEmpty)
    }

    @Test("After 2 s, and for a board that exists, the state is sent at once", arguments: [true, false])
    func late(exists: Bool) {
        if exists { broker.promise("a", from: writer) } else { broker.advance(by: 2_000) }
        let stream = broker.watch(since: 5_001, epoch: 77, from: watcher)
        #expect(changes(on: stream).map(\.changeCount) == [exists ? 9_001 : 9_000])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test(
        "A reclaim is no change for a watch that knows its count, and later ones are counted anew",
        arguments: [true, false]
    )
    func reclaimed(isFirst: Bool) {
        if isFirst { reclaim(5_001) }
        let stream = broker.watch(since: 5_001, epoch: 77, from: watcher)
        if !isFirst { reclaim(5_001) }
        #expect(broker.take(watcher).on(stream).kinds == [.registered])
        broker.advance(by: 3_000)
        #expect(broker.take(watcher).isEmpty && broker.brokenInvariants().isEmpty)
        broker.advance(by: 100)
        broker.promise("b", from: writer)
        let sent = changes(on: stream)
        #expect(sent.map(\.changeCount) == [9_001] && sent.map(\.epoch) == [78] && sent.map(\.missed) == [nil])
        broker.advance(by: 100)
        for _ in 0..<3 { broker.promise("b", from: writer) }
        #expect(changes(on: stream).map(\.missed) == [0])
        broker.advance(by: 100)
        #expect(changes(on: stream).map(\.missed) == [1])
    }

    @Test("A reclaim of a later count is a change, with the number of those that were missed")
    func laterCount() {
        let stream = broker.watch(since: 5_001, epoch: 77, from: watcher)
        reclaim(5_004)
        let sent = changes(on: stream)
        #expect(sent.map(\.changeCount) == [5_004] && sent.map(\.epoch) == [77] && sent.map(\.missed) == [2])
        let late = broker.watch(since: 5_001, epoch: 77, from: watcher)
        let unknown = broker.watch(since: 5_004, epoch: 76, from: watcher)
        let frames = broker.take(watcher)
        #expect(frames.on(late).all(Change.self).map(\.missed) == [2])
        #expect(frames.on(unknown).all(Change.self).map(\.missed) == [nil])
    }

    @Test("A write or a clear by other means is reported at once", arguments: [true, false])
    func otherMeans(isCleared: Bool) {
        let stream = broker.watch(since: 5_001, epoch: 77, from: watcher)
        if isCleared { broker.clear(from: writer) } else { broker.promise("b", from: writer) }
        #expect(changes(on: stream).map(\.changeCount) == [9_001])
        broker.advance(by: 2_000)
        #expect(changes(on: stream).isEmpty)
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("A watch of this epoch reports contents that come back, without a number of missed changes")
    func ownEpoch() {
        let stream = broker.watch(from: watcher)
        reclaim(5_001)
        let sent = changes(on: stream)
        #expect(sent.map(\.changeCount) == [5_001] && sent.map(\.epoch) == [77] && sent.map(\.missed) == [nil])
    }

    @Test("A watch reports contents that take the place of those with the same count, as a new version")
    func sameCount() throws {
        let gone = broker.connect(process: 7)
        let count = try #require(broker.promise("a", from: gone).changeCount)
        broker.disconnect(gone)
        let stream = broker.watch(from: watcher)
        let since = broker.watch(since: count, epoch: 78, from: watcher)
        reclaim(count, of: 78)
        let frames = broker.take(watcher)
        for stream in [stream, since] {
            let sent = frames.on(stream).all(Change.self)
            #expect(sent.map(\.changeCount) == [count] && sent.map(\.version) == [2] && sent.map(\.missed) == [0])
        }
        let later = broker.watch(since: count, epoch: 78, from: watcher)
        #expect(broker.take(watcher).on(later).kinds == [.registered])
    }

    @Test("The state that a watch without credit was to be sent is not sent if the known contents have come back since")
    func knownAgain() {
        let waiting = broker.watch(since: 5_001, epoch: 77, credit: 0, from: watcher)
        broker.advance(by: 2_100)
        reclaim(5_001)
        broker.advance(by: 100)
        #expect(broker.take(watcher).on(waiting).kinds == [.registered])
        broker.credit(1, on: waiting, from: watcher)
        #expect(broker.take(watcher).isEmpty && broker.brokenInvariants().isEmpty)
        broker.advance(by: 100)
        broker.promise("b", from: writer)
        #expect(changes(on: waiting).map(\.changeCount) == [9_001])
        #expect(broker.brokenInvariants().isEmpty)
    }

    @Test("Watches that end before the time is over leave nothing, and those without credit are sent the state later")
    func ended() {
        for number in 0..<50 {
            let stream = broker.watch("board \(number)", since: 5_001, epoch: 77, from: watcher)
            if number < 49 { broker.send(Cancel(), on: stream, from: watcher) }
        }
        let waiting = broker.watch("last", since: 5_001, epoch: 77, credit: 0, from: watcher)
        _ = broker.take(watcher)
        broker.advance(by: 2_000)
        #expect(broker.take(watcher).count == 1 && broker.brokenInvariants().isEmpty)
        broker.credit(1, on: waiting, from: watcher)
        #expect(changes(on: waiting).map(\.changeCount) == [9_000])
        broker.disconnect(watcher)
        #expect(broker.held.watches == 0 && broker.brokenInvariants().isEmpty)
    }
}
