import TestSupport
import Testing

@testable import PasteboardKit

@Suite(.inProcess) struct StreamMapTests {
    @Test(
        "The map has the same contents as a dictionary, with colliding numbers and with long-lived ones",
        arguments: Seeds.fixed(1)
    )
    func likeADictionary(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var map: StreamMap<Int> = [:]
        var expected: [UInt64: Int] = [:]
        for step in 0..<20_000 {
            // Few values of the low bits, so that many numbers share an index.
            let number = UInt64.random(in: 1...8, using: &random) << 33 | UInt64.random(in: 1...40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: #expect(map.removeValue(for: number) == expected.removeValue(forKey: number))
            case 1: (map[number], expected[number]) = (nil, nil)
            case 2: (map[number], expected[number]) = (step, step)
            default:
                map[number]? += 1
                expected[number]? += 1
            }
            try #require(map[number] == expected[number] && map.count == expected.count)
        }
        #expect(map.keys.sorted() == expected.keys.sorted())
        #expect(expected.allSatisfy { map[$0.key] == $0.value && map.contains($0.key) })
    }
}
