package import PasteboardTransport
import PasteboardWire

/// A chunk of a file.
package struct OutgoingChunk: Sendable {
    package let bytes: [UInt8]
    /// Whether the stream ends with this chunk.
    package let isLast: Bool
    package var count: Int { bytes.count }
}

/// A file that is being sent on a stream: a chunk is read only when the stream can carry it.
///
/// The file is read at an offset of this value, so several streams can send one file at the same time.
package struct OutgoingFile: Sendable {
    package enum ReadError: Error {
        case unreadable(SystemError)
        /// The file has become shorter than it was when it was announced.
        case truncated(at: UInt64)
    }

    private let file: DescriptorBox
    /// The announced size. Bytes that were appended since then are not sent.
    package let byteCount: UInt64
    /// The number of bytes that were sent.
    package private(set) var sent: UInt64 = 0

    package init(_ file: DescriptorBox, byteCount: UInt64) {
        self.file = file
        self.byteCount = byteCount
    }

    /// Reads the next chunk, at most as much as one data frame carries.
    ///
    /// - Parameter room: the number of bytes that the stream can carry now.
    /// - Returns: nil if the stream can carry nothing. The only chunk of an empty file is empty.
    package func next(room: Int = .max) throws(ReadError) -> OutgoingChunk? {
        let left = byteCount - sent
        let count = Int(clamping: min(left, UInt64(clamping: min(room, WireLimits.dataLength))))
        guard count > 0 || left == 0 else { return nil }
        let bytes: [UInt8]
        do {
            bytes = try System.bytes(of: file.raw, from: sent, count: count)
        } catch {
            throw .unreadable(error)
        }
        guard bytes.count == count else { throw .truncated(at: sent + UInt64(bytes.count)) }
        return OutgoingChunk(bytes: bytes, isLast: UInt64(count) == left)
    }

    /// Records that the stream has carried `count` of the bytes that were read.
    package mutating func advance(by count: UInt64) {
        sent += min(count, byteCount - sent)
    }
}
