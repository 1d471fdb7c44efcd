import FoundationEssentials

/// Bytes that come one piece after the other: from a file, a folder's archive, a program that writes them.
///
/// Whoever takes them asks for a piece when there is room for it; that is all the flow control there is.
protocol PieceSource: AnyObject, Sendable {
    /// How many there are in all, where that is known before.
    var byteCount: UInt64? { get }
    /// Whether they are a tar archive of the folder that is meant.
    var isArchive: Bool { get }
    /// What the file or folder is called that they come from.
    var fileName: String? { get }
    /// Gives the next piece, never an empty one, or nil at the end: once, on any thread, perhaps at once. Not called
    /// before it has done so, nor after the end.
    func next(_ take: @escaping @Sendable (Result<Data?, any Error>) -> Void)
    /// Nobody wants the rest. It may be called at any time, and after the end.
    func cancel()
}

extension PieceSource {
    var isArchive: Bool { false }
    var fileName: String? { nil }

    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            next { continuation.resume(with: $0) }
        }
    }
}
