import FoundationEssentials
import PasteboardTransport

/// The bytes of another process's item, for somebody who asks this one for them.
final class RemoteChunks: ChunkSource {
    private let load: OpenedLoad
    private let reader: ByteChunks.Reader
    private let task = Lock(Task<Void, Never>?.none)

    init(_ load: OpenedLoad) {
        self.load = load
        reader = load.chunks.source.makeReader()
    }

    var byteCount: UInt64? { load.chunks.byteCount.map { UInt64(clamping: $0) } }
    var isArchive: Bool { load.isArchive }
    var fileName: String? { load.fileName }

    func next(_ take: @escaping @Sendable (Result<Data?, any Error>) -> Void) {
        let reader = reader
        let next = Task {
            do throws(PasteboardError) {
                take(.success(try await reader.next()))
            } catch {
                take(.failure(error))
            }
        }
        task.withLock { $0 = next }
    }

    func cancel() {
        task.withLock { $0 }?.cancel()
        reader.cancel()
    }
}
