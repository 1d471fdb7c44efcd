import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// The bytes of an open file. They are read on the pool's threads, because the file may be on a slow disk.
final class FileChunks: ChunkSource {
    let file: PassedFile
    private let offset = Lock(UInt64(0))

    let isArchive: Bool
    let fileName: String?

    init(_ file: PassedFile, isArchive: Bool = false, fileName: String? = nil) {
        self.file = file
        self.isArchive = isArchive
        self.fileName = fileName
    }

    convenience init(_ file: SourceFile) {
        self.init(file.passed, isArchive: file.isArchive, fileName: file.name)
    }

    var byteCount: UInt64? { file.byteCount }

    func next(_ completion: @escaping @Sendable (Result<Data?, any Error>) -> Void) {
        ThreadPool.files.run { completion(Result { try self.read() }) }
    }

    private func read() throws -> Data? {
        let start = offset.withLock { $0 }
        let chunk = try file.chunk(at: start)
        offset.withLock { $0 = start + UInt64(chunk.count) }
        return chunk.isEmpty ? nil : chunk
    }

    func cancel() {}
}
