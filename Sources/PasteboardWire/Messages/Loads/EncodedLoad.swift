/// A load in its encoded form, which can be requested any number of times.
///
/// It takes less memory than the message, and a request copies only a few words.
package struct EncodedLoad: Sendable {
    package let handle: UInt64?
    package let credit: UInt64
    package let maximumByteCount: UInt64?
    package let descriptorWelcome: Bool
    /// The number of bytes of the frame.
    package let byteCount: Int
    /// The frame with stream 0, in words of eight bytes, little endian. Unused bytes of the last word are 0.
    let words: [UInt64]

    /// - Parameter standardCredit: the credit of a load that sets none.
    package init(_ load: borrowing Load, standardCredit: UInt64) {
        handle = load.handle
        credit = load.credit ?? standardCredit
        maximumByteCount = load.maximumByteCount
        descriptorWelcome = load.descriptorWelcome ?? false
        var frames = FrameMemory()
        byteCount = frames.append(load, credit: credit, stream: 0).count
        words = frames.words
    }
}
