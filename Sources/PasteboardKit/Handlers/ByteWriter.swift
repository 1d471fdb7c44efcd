public import FoundationEssentials
import PasteboardTransport

/// The source's side of one load of a byte stream.
public final class ByteWriter: Sendable {
    /// The progress of the handler. Reports to it are passed on to the destination and keep the load alive while the
    /// next bytes take long. Without reports, the destination sees the number of bytes written.
    public let progress = LoadProgress()
    private let stream: ChunkStream

    init(_ stream: ChunkStream) {
        self.stream = stream
    }

    /// Writes the next bytes, any number of them. It returns when there is room for more, so bytes that the destination
    /// has not taken do not accumulate.
    ///
    /// - Throws: `cancelled` if the bytes are no longer needed, and `invalid-argument` if there are more bytes than the
    ///   registration has announced.
    public func write(_ bytes: Data) async throws(PasteboardError) {
        try await stream.write(bytes)
    }
}
