import TestSupport
import Testing

@testable import BrokerState

@Suite(.pure) struct BoardsTests {
    @Test("Of many empty boards, those with the lowest counts are forgotten, and unknown boards get at least these")
    func forgotten() {
        let context = BrokerContext(limits: BrokerLimits())
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
}
