import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

/// Contents that come back under the change count that they had: the rules Y20 and Y21.
@Suite(.pure) struct ReclaimTests {
    /// A broker that has replaced the one with the epoch 77.
    private let broker = StateHarness(firstChangeCount: 9_000, epoch: 78)
    private let writer: PeerID
    private let other: PeerID

    init() {
        writer = broker.connect("writer", process: 7)
        other = broker.connect("other", process: 8)
    }

    /// Reclaims a count with kept bytes, and returns the answers.
    @discardableResult
    private func reclaim(
        _ count: UInt64,
        of epoch: UInt64,
        _ type: String = "a",
        bytes: [UInt8] = [1, 2, 3],
        board: String? = nil,
        from peer: PeerID
    ) -> [Frame] {
        let stream = broker.begin(board: board, reclaiming: count, of: epoch, from: peer)
        return finish(stream, type, bytes: bytes, from: peer)
    }

    private func finish(_ stream: UInt64, _ type: String = "a", bytes: [UInt8] = [1], from peer: PeerID) -> [Frame] {
        let early = broker.take(peer).on(stream)
        guard early.isEmpty else { return early }
        broker.send(Item([Representation(type, kept: true)]), on: stream, from: peer)
        broker.data(bytes, last: true, on: stream, from: peer)
        broker.commit(1, on: stream, from: peer)
        return broker.take(peer).on(stream)
    }

    private func shown(_ board: String? = nil) -> [UInt64?] {
        let contents = broker.list(board, from: other).first(Contents.self)
        return [contents?.changeCount, contents?.epoch]
    }

    private var isIntact: Bool { broker.held.writes == 0 && broker.brokenInvariants().isEmpty && broker.closed.isEmpty }

    // MARK: Contents of another lifetime of the broker

    @Test("Contents of a standard board do not come back after it was cleared, although nobody had written it")
    func clearedFirst() {
        let before = shown()
        broker.clear(from: other)
        #expect(shown() == [before[0].map { $0 + 1 }, before[1]])
        #expect(reclaim(5_001, of: 77, from: writer).codes == [.superseded])
        #expect(broker.list(from: other).first(Contents.self)?.handle == nil && isIntact)
    }

    @Test(
        "The next write of a board that has come back has a count above that of an unknown board",
        arguments: [true, false]
    )
    func next(isForgotten: Bool) throws {
        reclaim(8_999, of: 77, board: "x", from: writer)
        if isForgotten {
            // The count of unknown boards has risen meanwhile.
            for number in 0..<100 {
                for _ in 0..<5 { broker.promise("t", board: "board \(number)", from: other) }
                broker.clear("board \(number)", from: other)
            }
        }
        let unknown = try #require(shown("never")[0])
        #expect(isForgotten == (unknown > 9_000))
        let committed = broker.promise("b", board: "x", from: other)
        #expect(committed.changeCount == unknown + 1 && committed.epoch == 78 && isIntact)
    }

    @Test("After boards were forgotten, nothing comes back on a board that is unknown, because it may be one of them")
    func forgotten() {
        broker.promise("b", board: "x", from: other)
        broker.clear("x", from: other)
        for number in 0..<100 {
            for _ in 0..<5 { broker.promise("t", board: "board \(number)", from: other) }
            broker.clear("board \(number)", from: other)
        }
        #expect(reclaim(5_001, of: 77, board: "x", from: writer).codes == [.superseded])
        #expect(isIntact)
    }

    @Test("Additions to contents that have come back are answered with their count, and conditions compare it")
    func additions() throws {
        let handle = reclaim(5_001, of: 77, from: writer).first(Committed.self)?.handle
        let item = Item([Representation("b", kept: true)])
        let stream = broker.write([item], kept: [[4]], adding: handle, from: writer)
        let added = try #require(broker.take(writer).on(stream).first(Committed.self))
        #expect(added.changeCount == 5_001 && added.epoch == 77 && added.handle == handle)
        let early = broker.clear(ifChangeCount: 5_001, ifEpoch: 78, from: other)
        let right = broker.begin(ifChangeCount: 5_001, ifEpoch: 77, from: other)
        let any = broker.begin(ifChangeCount: 5_001, from: other)
        let frames = broker.take(other)
        #expect(frames.on(early).codes == [.superseded] && frames.on(right).isEmpty && frames.on(any).isEmpty)
    }

    enum Wrong: CaseIterable {
        case written, cleared, created, tooHigh, highest, ownEpoch, afterReclaim, tooHighAfterReclaim
    }

    @Test(
        "Contents of another epoch do not come back on a board that exists, or under a high count",
        arguments: Wrong.allCases
    )
    func refused(_ wrong: Wrong) {
        var (board, count, epoch) = (nil as String?, 5_001 as UInt64, 77 as UInt64)
        switch wrong {
        case .written: broker.promise("b", from: other)
        case .cleared:
            broker.promise("b", from: other)
            broker.clear(from: other)
        case .created: board = broker.createBoard(from: other).name
        case .tooHigh: count = 9_000
        case .highest: count = .max
        case .ownEpoch: epoch = 78
        case .afterReclaim: reclaim(5_002, of: 77, from: other)
        case .tooHighAfterReclaim:
            reclaim(5_000, of: 77, from: other)
            count = 9_000
        }
        let before = (broker.held, shown(board))
        #expect(reclaim(count, of: epoch, board: board, from: writer).codes == [.superseded])
        #expect(broker.held == before.0 && shown(board) == before.1 && isIntact)
    }

    @Test("Of two writers that reclaim one count, the first one has it", arguments: [7, 8] as [UInt32])
    func raced(process: UInt32) {
        let second = broker.connect(process: process)
        let streams = [writer, second].map { broker.begin(reclaiming: 5_001, of: 77, from: $0) }
        #expect(finish(streams[0], from: writer).kinds == [.committed])
        let held = broker.openMemory
        #expect(finish(streams[1], from: second).codes == [.superseded])
        #expect(broker.openMemory == held && isIntact)
    }

    @Test("A board that is only watched does not exist, and one that was removed is unknown again")
    func unknown() {
        _ = broker.watch("x", from: other)
        #expect(reclaim(5_001, of: 77, board: "x", from: writer).kinds == [.committed] && shown("x") == [5_001, 77])
        #expect(broker.remove("x", from: other).first(Committed.self)?.changeCount == 9_001)
        #expect(shown("x") == [9_001, 78] && isIntact)
        #expect(reclaim(5_002, of: 77, board: "x", from: writer).kinds == [.committed] && shown("x") == [5_002, 77])
        #expect(broker.promise("b", board: "x", from: other).changeCount == 9_002 && isIntact)
    }

    @Test("Reclaimed contents need the room of others, and have terms like them")
    func room() {
        let broker = StateHarness(firstChangeCount: 9_000, epoch: 78) { $0.boards = 1 }
        let writer = broker.connect()
        broker.promise("a", board: "one", from: writer)
        let full = broker.begin(board: "two", reclaiming: 5_001, of: 77, from: writer)
        broker.send(Item("a"), on: full, from: writer)
        broker.commit(1, on: full, from: writer)
        #expect(broker.take(writer).on(full).codes == [.limitExceeded])
        let terms = ContentTerms(expires: 5_000)
        let expiring = broker.begin(terms: terms, reclaiming: 5_001, of: 77, from: writer)
        broker.send(Item("a"), on: expiring, from: writer)
        broker.commit(1, on: expiring, from: writer)
        broker.advance(by: 5_000)
        #expect(broker.take(writer).on(expiring).first(End.self)?.reason == .expired)
        #expect(broker.list(from: writer).first(Contents.self)?.changeCount == 9_001)
        #expect(broker.brokenInvariants().isEmpty && broker.held.publications == 1)
    }

    // MARK: Contents of this lifetime of the broker

    /// Writes kept bytes and a promise, and lets the source end.
    private func leave(on board: String? = nil, bytes: [UInt8] = [9]) throws -> UInt64 {
        let gone = broker.connect("gone", process: 7)
        let item = Item([Representation("a", kept: true), Representation("b")])
        broker.write([item], kept: [bytes], board: board, from: gone)
        let count = try #require(broker.take(gone).first(Committed.self)?.changeCount)
        broker.disconnect(gone)
        return count
    }

    @Test("Loads of the earlier contents continue")
    func running() throws {
        let count = try leave()
        let load = broker.load(from: other, credit: 0)
        _ = broker.take(other)
        reclaim(count, of: 78, from: writer)
        #expect(broker.held.publications == 2 && isIntact)
        broker.credit(100, on: load, from: other)
        #expect(broker.take(other).on(load).bytes == [9] && broker.held.publications == 1 && isIntact)
    }

    @Test("The earlier contents may have been withdrawn by a connection that continues")
    func withdrawn() throws {
        let stream = broker.write([Item([Representation("a", kept: true)])], kept: [[9]], from: writer)
        let count = try #require(broker.take(writer).first(Committed.self)?.changeCount)
        #expect(reclaim(count, of: 78, from: writer).codes == [.superseded])
        broker.send(Cancel(), on: stream, from: writer)
        #expect(reclaim(count, of: 78, from: writer).kinds == [.committed] && isIntact)
    }

    enum Changed: CaseIterable {
        case foreign, connected, otherCount, otherEpoch, cleared, written
    }

    @Test(
        "Contents of another process, of a living source or of another count are not replaced",
        arguments: Changed.allCases
    )
    func foreign(_ changed: Changed) throws {
        var (count, epoch, peer) = (try leave(), 78 as UInt64, writer)
        switch changed {
        case .foreign: peer = other
        case .connected: count = try #require(broker.promise("a", from: broker.connect(process: 7)).changeCount)
        case .otherCount: count -= 1
        case .otherEpoch: epoch = 77
        case .cleared: broker.clear(from: other)
        case .written: broker.promise("c", from: other)
        }
        let before = (broker.held, shown())
        #expect(reclaim(count, of: epoch, from: peer).codes == [.superseded])
        #expect(broker.held == before.0 && shown() == before.1 && isIntact)
    }

    @Test("Contents that have come back once can come back again, to their process alone")
    func twice() throws {
        let first = broker.connect(process: 7)
        reclaim(5_001, of: 77, bytes: [4], from: first)
        broker.disconnect(first)
        #expect(reclaim(5_001, of: 77, from: other).codes == [.superseded])
        #expect(reclaim(5_001, of: 78, from: writer).codes == [.superseded])
        #expect(reclaim(5_001, of: 77, from: writer).kinds == [.committed] && shown() == [5_001, 77])
        #expect(broker.openMemory == 1 && isIntact)
        broker.clear(from: other)
        #expect(shown() == [9_001, 78])
    }

    // MARK: Fields

    // MARK: Conditions

    @Test(
        "A condition with an epoch holds only for a count of that epoch, at the begin and at the commit",
        arguments: [nil, 77, 76] as [UInt64?]
    )
    func epochs(_ epoch: UInt64?) throws {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        let handle = broker.promise("a", from: peer).handle
        let write = broker.begin(ifChangeCount: 901, ifEpoch: epoch, from: peer)
        let addition = broker.begin(ifChangeCount: 901, ifEpoch: epoch, adding: handle, from: peer)
        let clear = broker.clear(ifChangeCount: 901, ifEpoch: epoch, from: peer)
        let frames = broker.take(peer)
        let isHeld = epoch != 76
        #expect(frames.on(write).codes == (isHeld ? [] : [.superseded]))
        #expect(frames.on(addition).codes == (isHeld ? [] : [.superseded]))
        #expect(frames.on(clear).kinds == (isHeld ? [.committed, .end] : [.error]))
        guard isHeld else { return #expect(frames.on(clear).codes == [.superseded]) }
        broker.send(Item("b"), on: write, from: peer)
        broker.commit(1, on: write, from: peer)
        #expect(broker.take(peer).on(write).codes == [.superseded])
    }
}
