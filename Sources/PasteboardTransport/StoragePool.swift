/// Large memory between two uses.
///
/// A queue holds large memory only while bytes wait in it, which is over within microseconds and begins again with the
/// next turn. Fresh pages would be faulted in and cleared each time, which costs more than copying the bytes; so a few
/// blocks stay with the process for whichever queue is next.
enum StoragePool {
    /// Every block's size: what a destination lets one load run ahead, with its headers, fits.
    static let blockSize = (1 << 20) + (64 << 10)
    private static let keptBlocks = 4

    // Blocks that belong to nobody: whoever takes one owns it alone.
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
