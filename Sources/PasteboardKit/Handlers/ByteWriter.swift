public import FoundationEssentials
import PasteboardTransport

/// The source's end of one load of a byte stream.
public final class ByteWriter: Sendable {
    /// How far the handler is. What is reported here reaches the destination, and keeps a load alive whose next bytes
    /// take long; without a report, the number of bytes written is what the destination sees.
    public let progress = LoadProgress()
    private let stream: ChunkStream

    init(_ stream: ChunkStream) {
        self.stream = stream
    }

    /// Gives the next bytes, as many as there are. It returns when there is room for more: what the destination has not
    /// taken is not piled up here.
    ///
    /// - Throws: `cancelled` once nobody wants the bytes any more, and `invalid-argument` for more bytes than the
    ///   registration has announced.
    public func write(_ bytes: Data) async throws(PasteboardError) {
        try await stream.write(bytes)
    }
}
