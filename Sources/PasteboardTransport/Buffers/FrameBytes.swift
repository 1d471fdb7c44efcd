import PasteboardWire

/// A copy of the bytes of a data frame, in memory that is used again after the last reference.
///
/// Sendable, because only the single owner of this object writes its memory.
package final class FrameBytes: @unchecked Sendable {
    /// Valid during the lifetime of this object.
    package let base: UnsafeMutableRawPointer
    package let count: Int

    /// - Parameter bytes: at most as many as a data frame has.
    package init(copying bytes: Span<UInt8>) {
        precondition(bytes.count <= WireLimits.dataLength)
        base = BlockPool.frames.take()
        count = bytes.count
        // The block has room for as many bytes as the span has.
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: base, count: $0.count).copyMemory(from: $0)
        }
    }

    deinit {
        BlockPool.frames.give(base)
    }
}
