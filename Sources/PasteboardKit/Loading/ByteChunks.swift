public import FoundationEssentials
import PasteboardTransport

/// The bytes of one load, chunk by chunk as they come, to be iterated once.
///
/// There is back-pressure: what is not read is not sent, beyond about 1 MiB that is on its way. Each chunk is `Data` whose
/// first index is 0. The sequence ends without an error only if the source said that it is whole; else it throws, also
/// after chunks. Letting go of the iterator before the end, or of the sequence before there is one, cancels the load.
public struct ByteChunks: AsyncSequence, Sendable {
    /// A chunk, never empty.
    public typealias Element = Data
    /// What a load can fail with.
    public typealias Failure = PasteboardError

    /// How many bytes there are in all, if the source has said so.
    public let byteCount: Int64?
    let source: Source

    init(_ reader: LoadReader) {
        byteCount = reader.byteCount.map { Int64(clamping: $0) }
        source = Source(reader)
    }

    /// Holds the reader until the chunks are iterated.
    final class Source: Sendable {
        private let reader: Lock<LoadReader?>

        init(_ reader: LoadReader) {
            self.reader = Lock(reader)
        }

        /// The reader, once: the load is cancelled when the reader is released.
        func takeReader() throws(PasteboardError) -> LoadReader {
            let taken = reader.withLock { reader in
                defer { reader = nil }
                return reader
            }
            if let taken { return taken }
            throw PasteboardError(.invalidArgument, message: "the chunks of a load can be iterated only once")
        }
    }

    /// Takes the chunks one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Result<LoadReader, PasteboardError>

        /// The next chunk; nil at the end. A task that is cancelled while it waits cancels the load.
        public mutating func next() async throws(PasteboardError) -> Data? {
            try await reader.get().next()
        }

        /// The next chunk; nil at the end. A task that is cancelled while it waits cancels the load.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(PasteboardError) -> Data? {
            try await reader.get().next()
        }
    }

    /// The iterator. Only the first one gets chunks, and another throws `invalid-argument`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: Result { () throws(PasteboardError) in try source.takeReader() })
    }
}
