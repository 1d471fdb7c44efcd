/// The bytes that every source sends. With them a destination can verify that it received all of them, once and in
/// order.
enum Pattern {
    /// A prime length, which shares no factor with the sizes of frames and buffers.
    static let period = 262_139

    static let block: [UInt8] = (0..<period).map { index in
        UInt8(truncatingIfNeeded: (UInt32(truncatingIfNeeded: index) &* 2_654_435_761) >> 21)
    }

    /// Whether the bytes are those at `offset`.
    static func matches(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        let block = self.block
        var position = offset % period
        for index in bytes.indices {
            guard bytes[index] == block[position] else { return false }
            position = position + 1 == period ? 0 : position + 1
        }
        return true
    }
}
