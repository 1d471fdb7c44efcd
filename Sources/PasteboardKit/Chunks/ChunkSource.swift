import FoundationEssentials

/// A source of bytes in chunks: a file, a folder's archive, or a program that writes them.
///
/// The consumer asks for a chunk when it has room for one; there is no other flow control.
protocol ChunkSource: AnyObject, Sendable {
    /// The total number of bytes, if it is known in advance.
    var byteCount: UInt64? { get }
    /// Whether the source is a folder and the bytes are a tar archive of it.
    var isArchive: Bool { get }
    /// The name of the source's file or folder.
    var fileName: String? { get }
    /// Calls `completion` once, on any thread and perhaps before it returns, with the next chunk, which is never empty,
    /// or with nil at the end. It must not be called again before it has called `completion`, nor after the end.
    func next(_ completion: @escaping @Sendable (Result<Data?, any Error>) -> Void)
    /// Cancels the source, because the remaining bytes are not needed. It may be called at any time, also after the
    /// end.
    func cancel()
}

extension ChunkSource {
    var isArchive: Bool { false }
    var fileName: String? { nil }

    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            next { continuation.resume(with: $0) }
        }
    }
}
