import FoundationEssentials
import PasteboardTransport

extension Data {
    /// Received bytes in the memory into which they were read. They are not copied.
    init(_ range: Range<Int>, lentBy memory: ReadMemory) {
        // The data keeps the memory alive as long as it uses it.
        self.init(
            bytesNoCopy: memory.lend(range),
            count: range.count,
            deallocator: .custom { _, _ in memory.takeBack() }
        )
    }
}
