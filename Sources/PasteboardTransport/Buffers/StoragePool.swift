/// A pool of large memory blocks for byte queues.
///
/// A queue holds a block only while bytes wait in it, often for microseconds in each turn. New pages would be faulted
/// in and cleared each time, which costs more than copying the bytes. Therefore a few blocks stay allocated for the
/// next queue.
enum StoragePool {
    /// The size of every block: the largest credit window of a load, with the headers of its frames.
    static let blockSize = (1 << 20) + (64 << 10)
    private static let keptBlocks = 4

    // Free blocks. The queue that takes one owns it alone, so it is safe to send.
    private struct Block: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    private static let free = Lock<[Block]>([])

    static func take() -> UnsafeMutableRawPointer {
        let block = self.free.withLock { $0.popLast() }
        return block?.memory ?? .allocate(byteCount: self.blockSize, alignment: 16)
    }

    static func give(_ memory: UnsafeMutableRawPointer) {
        let block = Block(memory: memory)
        let isKept = self.free.withLock { blocks in
            guard blocks.count < self.keptBlocks else { return false }
            blocks.append(block)
            return true
        }
        if !isKept { memory.deallocate() }
    }
}
