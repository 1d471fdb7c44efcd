import BrokerModel
import BrokerState
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct ChangeCountTests {
    @Test("A board starts at the given count, and each of its writes and clears increases the count by one")
    func steps() {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        #expect(broker.list("x", from: peer).first(Contents.self)?.changeCount == 900)
        #expect(broker.promise("a", board: "other", from: peer).changeCount == 901)
        #expect(broker.promise("a", board: "other", from: peer).changeCount == 902)
        #expect(broker.list("x", from: peer).first(Contents.self)?.changeCount == 900)
        #expect(broker.promise("a", board: "x", from: peer).changeCount == 901)
        let clear = broker.clear("x", from: peer)
        let frames = broker.take(peer).on(clear)
        #expect(frames.kinds == [.committed, .end])
        #expect(frames.first(Committed.self)?.changeCount == 902)
        #expect(frames.first(Committed.self)?.handle == nil)
        #expect(broker.list("x", from: peer).first(Contents.self)?.changeCount == 902)
    }

    @Test("A clear is refused when its condition does not hold")
    func condition() {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        broker.promise("a", from: peer)
        broker.clear(ifChangeCount: 900, from: peer)
        #expect(broker.take(peer).codes == [.superseded])
        broker.clear(ifChangeCount: 901, from: peer)
        #expect(broker.take(peer).kinds.contains(.committed))
    }

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

    @Test("An epoch without a change count is refused")
    func lonelyEpoch() {
        let broker = StateHarness()
        let peer = broker.connect()
        broker.begin(ifEpoch: 77, from: peer)
        broker.clear(ifEpoch: 77, from: peer)
        #expect(broker.take(peer).codes == [.invalidArgument, .invalidArgument])
        #expect(broker.held.writes == 0 && broker.closed.isEmpty)
    }

    @Test("The count of a forgotten board does not decrease, neither in a list nor with its next write")
    func eviction() throws {
        let broker = StateHarness(firstChangeCount: 900) { $0.boards = 1 }
        let peer = broker.connect()
        broker.promise("a", board: "old", from: peer)
        broker.clear("old", from: peer)
        let last = try #require(broker.list("old", from: peer).first(Contents.self)?.changeCount)
        broker.clear("new", from: peer)
        let listed = try #require(broker.list("old", from: peer).first(Contents.self)?.changeCount)
        #expect(listed >= last)
        let next = try #require(broker.promise("a", board: "old", from: peer).changeCount)
        #expect(next > last)
    }

    @Test("Clearing a board that is remembered increases its count, though it is empty, and it is in no list")
    func clearingNothing() {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        broker.promise("a", from: peer)
        broker.promise("a", board: "x", from: peer)
        for count in [902, 903, 904] as [UInt64] {
            let clear = broker.clear("x", from: peer)
            #expect(broker.take(peer).on(clear).first(Committed.self)?.changeCount == count)
        }
        #expect(broker.status(from: peer).compactMap(\.board).map(\.name) == ["general"])
    }

    @Test("A cleared board is not listed, and clearing it does not change the count of another board")
    func cleared() {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        for name in ["a", "b"] { broker.promise("t", board: name, from: peer) }
        #expect(broker.status(from: peer).compactMap(\.board).map(\.name) == ["a", "b"])
        broker.clear("a", from: peer)
        #expect(broker.status(from: peer).compactMap(\.board).map(\.name) == ["b"])
        broker.clear("b", from: peer)
        #expect(broker.status(from: peer).compactMap(\.board).map(\.name).isEmpty)
        #expect(broker.list("a", from: peer).first(Contents.self)?.changeCount == 902)
        #expect(broker.list("never", from: peer).first(Contents.self)?.changeCount == 900)
    }

    @Test("Of many cleared boards 64 are remembered, and no board repeats an earlier change count")
    func manyCleared() throws {
        let broker = StateHarness(firstChangeCount: 900)
        let peer = broker.connect()
        func unknown() -> UInt64? { broker.list("never", from: peer).first(Contents.self)?.changeCount }
        for number in 0..<200 {
            broker.promise("t", board: "board \(number)", from: peer)
            broker.clear("board \(number)", from: peer)
            // Forgetting a board raises the count of every unknown board.
            #expect(number < 96 ? unknown() == 900 : try #require(unknown()) >= 902)
        }
        for number in [0, 100, 199] {
            let next = try #require(broker.promise("t", board: "board \(number)", from: peer).changeCount)
            #expect(next > 902)
        }
    }

    @Test("Two lifetimes of a broker use different handles")
    func handles() {
        let first = StateHarness(epoch: 1)
        let second = StateHarness(epoch: 2)
        let one = first.connect()
        let two = second.connect()
        let handle = first.promise("a", from: one).handle
        second.promise("a", from: two)
        second.load(from: two) { $0.handle = handle }
        #expect(second.take(two).codes == [.superseded])
    }
}
