import FoundationEssentials
import PasteboardTransport

/// Bytes that are all there, as one chunk.
final class DataChunks: ChunkSource {
    let byteCount: UInt64?
    private let data: Lock<Data>

    init(_ data: Data) {
        byteCount = UInt64(data.count)
        self.data = Lock(data)
    }

    func next(_ take: @escaping @Sendable (Result<Data?, any Error>) -> Void) {
        let rest = data.withLock { data in
            defer { data = Data() }
            return data
        }
        take(.success(rest.isEmpty ? nil : rest))
    }

    func cancel() {}
}
