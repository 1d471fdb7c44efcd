/// The memory into which a connection is read. Bytes of it can be lent, so that they are not copied; the next read then
/// uses other memory.
///
/// Sendable, because each part of the memory has one owner: the lent bytes, or the `ReadBuffer`.
package final class ReadMemory: @unchecked Sendable {
    /// Valid during the lifetime of this object.
    let base: UnsafeMutableRawPointer
    private let size: Int
    /// Whether bytes were lent. Used only by the thread that reads.
    private(set) var isLent = false
    private let order = SanitizerOrder()

    init(size: Int) {
        self.size = size
        base = size == BlockPool.reads.blockSize ? BlockPool.reads.take() : .allocate(byteCount: size, alignment: 16)
    }

    deinit {
        order.acquire()
        if size == BlockPool.reads.blockSize { BlockPool.reads.give(base) } else { base.deallocate() }
    }

    /// Lends bytes, which must not be lent already. The borrower holds this object as long as it uses them, and calls
    /// `release` at its end.
    package func lend(_ range: Range<Int>) -> UnsafeMutableRawPointer {
        precondition(range.lowerBound >= 0 && range.upperBound <= size)
        isLent = true
        return base + range.lowerBound
    }

    package func release() {
        order.release()
    }
}
