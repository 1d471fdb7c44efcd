public import FoundationEssentials
import PasteboardTransport

/// The bytes of one load, in chunks as they arrive. They can be iterated once.
///
/// There is back-pressure: the source sends at most about 2 MiB more than was read. Each chunk is `Data` whose first
/// index is 0. The sequence ends without an error only if the source has reported that the bytes are complete;
/// otherwise it throws, possibly after some chunks. Releasing the iterator before the end, or the sequence before it is
/// iterated, cancels the load.
public struct ByteChunks: AsyncSequence, Sendable {
    /// The type of the bytes: the requested type, or one that conforms to it; of a folder that of its archive.
    public let type: UniformType
    /// The total number of bytes, if the source has announced it.
    public let byteCount: Int64?
    let source: Source

    init(_ reader: LoadReader, type: UniformType) {
        self.type = type
        byteCount = reader.byteCount.map { Int64(clamping: $0) }
        source = Source(reader)
    }

    /// Holds the reader until the chunks are iterated.
    final class Source: Sendable {
        private let reader: Lock<LoadReader?>

        init(_ reader: LoadReader) {
            self.reader = Lock(reader)
        }

        /// Returns the reader, once. The load is cancelled when the reader is released.
        func takeReader() throws(PasteboardError) -> LoadReader {
            let taken = reader.withLock { $0.take() }
            if let taken { return taken }
            throw PasteboardError(.invalidArgument, message: "the chunks of a load can be iterated only once")
        }
    }

    /// Reads the chunks one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Result<LoadReader, PasteboardError>

        /// Returns the next chunk, or nil at the end. Cancelling the task while it waits cancels the load.
        public mutating func next() async throws(PasteboardError) -> Data? {
            try await reader.get().next()
        }

        /// Returns the next chunk, or nil at the end. Cancelling the task while it waits cancels the load.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(PasteboardError) -> Data? {
            try await reader.get().next()
        }
    }

    /// Makes the iterator. Only the first iterator gets chunks; any other throws `invalid-argument`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: Result { () throws(PasteboardError) in try source.takeReader() })
    }
}
