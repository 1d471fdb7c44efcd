import FoundationEssentials

/// A source of bytes in chunks: a file, a folder's archive, or a program that writes them.
///
/// The consumer asks for a chunk when it has room for one; there is no other flow control.
protocol ChunkSource: AnyObject, Sendable {
    /// How many there are in all, where that is known before.
    var byteCount: UInt64? { get }
    /// Whether they are a tar archive of the folder that is meant.
    var isArchive: Bool { get }
    /// What the file or folder is called that they come from.
    var fileName: String? { get }
    /// Gives the next chunk, never an empty one, or nil at the end: once, on any thread, perhaps at once. Not called
    /// before it has done so, nor after the end.
    func next(_ take: @escaping @Sendable (Result<Data?, any Error>) -> Void)
    /// Nobody wants the rest. It may be called at any time, and after the end.
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
