import BrokerModel
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct BoardsTests {
    private static func publication(_ slot: UInt32) -> PublicationID { PublicationID(slot: slot, generation: 1) }

    private static func context(boards: UInt64) -> BrokerContext {
        var limits = BrokerLimits()
        limits.boards = boards
        return BrokerContext(limits: limits)
    }

    @Test("Each change increases the count by one and returns the replaced contents")
    func changes() {
        let context = Self.context(boards: 8)
        var boards = Boards(firstChangeCount: 40)
        #expect(boards.changeCount(of: "a") == 40)
        let first = boards.set("a", to: Self.publication(1), context)
        #expect(first.changeCount == 41 && first.replaced == nil)
        let second = boards.set("a", to: Self.publication(2), context)
        #expect(second.changeCount == 42 && second.replaced == Self.publication(1))
        #expect(boards.publication(on: "a") == Self.publication(2))
        let cleared = boards.set("a", to: nil, context)
        #expect(cleared.changeCount == 43 && cleared.replaced == Self.publication(2))
        #expect(boards.full.isEmpty && boards.count == 1)
    }

    @Test("Of many empty boards, those with the lowest counts are forgotten, and unknown boards get at least these")
    func forgotten() {
        let context = Self.context(boards: 1_000)
        var boards = Boards(firstChangeCount: 40)
        for index in 0..<95 { _ = boards.set("\(index)", to: nil, context) }
        for _ in 0..<10 { _ = boards.set("high", to: nil, context) }
        _ = boards.set("one more", to: nil, context)
        #expect(boards.count == 64)
        #expect(boards.changeCount(of: "high") == 50 && boards.changeCount(of: "unknown") == 41)
    }

    @Test("Unknown boards have a count above that of an earlier lifetime")
    func passed() {
        var boards = Boards(firstChangeCount: 40)
        boards.raiseFirstChangeCount(above: 900)
        #expect(boards.changeCount(of: "unknown") == 901)
    }

    @Test("An empty board is forgotten to make room for another name, and its count never decreases")
    func room() throws {
        var context = Self.context(boards: 8)
        let account = try context.accounting.connect(ProcessKey(pid: 1, identity: 1), limit: 10)
        var boards = Boards(firstChangeCount: 40)
        for index in 0..<7 { _ = boards.set("full \(index)", to: Self.publication(UInt32(index)), context) }
        _ = boards.set("empty", to: nil, context)
        _ = boards.set("empty", to: nil, context)
        #expect(boards.count == 8)
        try boards.checkRoom(for: "new", of: account, context)
        #expect(boards.count == 7)
        #expect(boards.changeCount(of: "empty") == 42)
        _ = boards.set("new", to: Self.publication(9), context)
        do throws(Failure) {
            try boards.checkRoom(for: "one more", of: account, context)
            Issue.record("there are more boards than the limit")
        } catch {
            #expect(error.code == .limitExceeded)
        }
    }
}
