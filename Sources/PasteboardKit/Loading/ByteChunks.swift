public import FoundationEssentials

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

    init(byteCount: Int64?, source: Source) {
        self.byteCount = byteCount
        self.source = source
    }

    /// Bytes that are there already.
    init(_ data: Data) {
        let reader = ChunkSourceReader(DataChunks(data), progress: nil, deadline: nil)
        self.init(byteCount: Int64(data.count), source: Source(.chunks(reader)))
    }

    /// Takes the chunks one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let reader: Reader

        /// The next chunk; nil at the end. A task that is cancelled while it waits cancels the load.
        public mutating func next() async throws(PasteboardError) -> Data? {
            try await reader.next()
        }

        /// The next chunk; nil at the end. A task that is cancelled while it waits cancels the load.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(PasteboardError) -> Data? {
            try await reader.next()
        }
    }

    /// The iterator. Only the first one gets chunks, and another throws `invalid-argument`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: source.makeReader())
    }
}
