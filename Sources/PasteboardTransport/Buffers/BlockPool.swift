/// A pool of large memory blocks of one size.
///
/// A block is often needed only for microseconds. New pages would be faulted in and cleared each time, which costs more
/// than copying the bytes. Therefore a few blocks stay allocated for the next use.
final class BlockPool: Sendable {
    /// Blocks for byte queues: the largest credit window that the broker grants a source, with the headers of its
    /// frames.
    static let queues = BlockPool(blockSize: (1 << 20) + (64 << 10), keeping: 4)
    /// Blocks for reads, whose bytes may wait for a reader: as many as a credit window has frames.
    static let reads = BlockPool(blockSize: ReadBuffer.carryLimit + ReadBuffer.standardReadSize, keeping: 8)

    // Free blocks. The user that takes one owns it alone, so it is safe to send.
    private struct Block: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    let blockSize: Int
    private let keptBlocks: Int
    private let free = Lock<[Block]>([])

    init(blockSize: Int, keeping keptBlocks: Int) {
        self.blockSize = blockSize
        self.keptBlocks = keptBlocks
    }

    func take() -> UnsafeMutableRawPointer {
        let block = free.withLock { $0.popLast() }
        return block?.memory ?? .allocate(byteCount: blockSize, alignment: 16)
    }

    func give(_ memory: UnsafeMutableRawPointer) {
        let block = Block(memory: memory)
        let isKept = free.withLock { blocks in
            guard blocks.count < keptBlocks else { return false }
            blocks.append(block)
            return true
        }
        if !isKept { memory.deallocate() }
    }
}
