import FoundationEssentials
import PasteboardTransport
import PasteboardWire

extension Data {
    /// A copy of received bytes. The memory of many bytes is used again after the data is released.
    init(chunk bytes: Span<UInt8>) {
        guard bytes.count > WireLimits.sharedDataLength, bytes.count <= WireLimits.dataLength else {
            self.init()
            append(copying: bytes)
            return
        }
        let frame = FrameBytes(copying: bytes)
        // The data keeps the copy alive as long as it uses its memory.
        self.init(bytesNoCopy: frame.base, count: frame.count, deallocator: .custom { _, _ in _ = frame })
    }
}
