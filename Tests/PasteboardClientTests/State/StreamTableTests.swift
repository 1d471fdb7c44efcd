import TestSupport
import Testing

@testable import PasteboardClient

@Suite(.pure) struct StreamTableTests {
    private struct Record: StreamRecord {
        var stream: UInt64
        var step = 0
    }

    @Test(
        "The table has the same contents as a dictionary, with colliding ids and with long-lived ones",
        arguments: Seeds.fixed(1)
    )
    func likeADictionary(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = StreamTable(empty: Record(stream: 0))
        var expected: [UInt64: Int] = [:]
        for step in 0..<20_000 {
            // Few values of the low bits, so that many ids share a slot.
            let id = UInt64.random(in: 1...8, using: &random) << 33 | UInt64.random(in: 1...40, using: &random)
            if let index = table.index(of: id) {
                try #require(table.values[index].step == expected[id])
                table.remove(at: index)
                expected[id] = nil
            } else {
                try #require(expected[id] == nil)
                table.insert(Record(stream: id, step: step))
                expected[id] = step
            }
            try #require(table.count == expected.count)
        }
        #expect(table.openIDs == expected.keys.sorted())
        #expect(table.index(of: 0) == nil)
    }
}
