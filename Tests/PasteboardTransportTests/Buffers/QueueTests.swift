import TestSupport
import Testing

@testable import PasteboardTransport

@Suite(.pure) struct QueueTests {
    @Test("Marks are taken in order and once each, although many of them are removed together")
    func marks() {
        var queue = MarkQueue<Int>()
        for number in 0..<200 { queue.append(number, at: UInt64(number)) }
        let taken = (0..<200).compactMap { queue.take(upTo: $0) }
        #expect(taken == Array(0..<200) && queue.next == nil)
    }

    @Test("An empty queue of bytes releases its memory if that is large", arguments: [(1_000, true), (100_000, false)])
    func release(count: Int, isKept: Bool) {
        var queue = ByteQueue()
        queue.append([UInt8](repeating: 0, count: count).span.bytes)
        queue.truncate(to: 0)
        queue.releaseStorage()
        #expect((queue.pointer() != nil) == isKept)
    }
}
