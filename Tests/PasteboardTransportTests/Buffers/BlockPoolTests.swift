import TestSupport
import Testing

@testable import PasteboardTransport

@Suite(.pure) struct BlockPoolTests {
    @Test("A block that was given back is used again, and no more than the limit are kept")
    func reuse() {
        let pool = BlockPool(blockSize: 4096, keeping: 1)
        let (first, second) = (pool.take(), pool.take())
        #expect(first != second)
        pool.give(first)
        pool.give(second)
        #expect(pool.take() == first)
        // The second was released.
        let third = pool.take()
        third.storeBytes(of: 1, toByteOffset: 4095, as: UInt8.self)
        pool.give(first)
        pool.give(third)
    }
}
