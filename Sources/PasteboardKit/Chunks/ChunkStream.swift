import FoundationEssentials
import PasteboardTransport

/// A queue of bytes between one producer and one consumer. It is the only type in the library in which bytes wait for a
/// reader.
///
/// Small writes are collected into chunks of 64 KiB. There are two kinds of producers. A program's handler calls
/// ``write(_:)``, which returns when there is room again. A connection calls ``append(_:)``, which never waits: the
/// broker sends only what the consumer's credit allows, and `onTaken` renews the credit.
final class ChunkStream: ChunkSource {
    /// The number of waiting bytes at which a writer has to wait, and the size at which a chunk is complete.
    private static let room = 64 << 10

    typealias Chunk = Result<Data?, any Error>
    typealias Completion = @Sendable (Chunk) -> Void
    /// Resumed with whether the bytes are wanted.
    private typealias Writer = CheckedContinuation<Bool, Never>

    private struct State {
        var chunks: [Data] = []
        var waitingCount = 0
        var written: UInt64 = 0
        var reader: Completion?
        var writers: [Writer] = []
        /// The end of the stream, delivered after the chunks.
        var end: Chunk?
        var isCancelled = false
        var onCancel: (@Sendable () -> Void)?

        mutating func append(_ bytes: Span<UInt8>) {
            waitingCount += bytes.count
            if let last = chunks.indices.last, chunks[last].count < room {
                chunks[last].append(copying: bytes)
            } else if !bytes.isEmpty {
                var chunk = Data()
                chunk.append(copying: bytes)
                chunks.append(chunk)
            }
        }
    }

    let byteCount: UInt64?
    let isArchive: Bool
    let fileName: String?
    private let onTaken: (@Sendable (Int) -> Void)?
    private let state = Lock(State())

    /// - Parameter onTaken: called after each chunk that the consumer takes before the end, with its size.
    init(
        byteCount: UInt64?,
        isArchive: Bool = false,
        fileName: String? = nil,
        onTaken: (@Sendable (Int) -> Void)? = nil
    ) {
        self.byteCount = byteCount
        self.isArchive = isArchive
        self.fileName = fileName
        self.onTaken = onTaken
    }

    /// Makes a stream of bytes that all exist already.
    convenience init(_ data: Data) {
        self.init(byteCount: UInt64(data.count))
        state.withLock { state in
            if !data.isEmpty { state.chunks = [data] }
            state.end = .success(nil)
        }
    }

    /// Whether a writer has to wait.
    var isFull: Bool { state.withLock { $0.waitingCount >= Self.room } }
    /// Whether the producer has ended the stream, or the consumer has cancelled it.
    var isOver: Bool { state.withLock { $0.end != nil || $0.isCancelled } }

    // MARK: The producer

    /// Adds bytes, and returns when there is room for more.
    ///
    /// - Throws: `cancelled` if the consumer has cancelled the stream; `invalidArgument` after the end, and for more
    ///   bytes than were announced, which also fails the stream.
    func write(_ bytes: Data) async throws(PasteboardError) {
        guard !bytes.isEmpty else { return }
        var refusal: PasteboardError?
        let isWanted = await withCheckedContinuation { (writer: Writer) in
            let delivery = state.withLock { state -> Delivery in
                refusal = self.refusal(of: bytes.count, &state)
                guard refusal == nil else { return Delivery(writers: [writer]) }
                state.written += UInt64(bytes.count)
                if state.chunks.isEmpty, bytes.startIndex == 0 {
                    // The bytes are not copied: the chunk is the program's own data.
                    state.chunks = [bytes]
                    state.waitingCount = bytes.count
                } else {
                    state.append(bytes.span)
                }
                state.writers.append(writer)
                return Self.delivery(&state)
            }
            deliver(delivery)
        }
        if let refusal { throw refusal }
        if !isWanted { throw .cancelled }
    }

    private func refusal(of count: Int, _ state: inout State) -> PasteboardError? {
        if state.isCancelled { return .cancelled }
        if state.end != nil {
            return PasteboardError(
                .invalidArgument,
                message: "the handler of a byte stream wrote after it had returned"
            )
        }
        guard let byteCount, byteCount - state.written < UInt64(count) else { return nil }
        let text = "the handler of a byte stream wrote more than the \(byteCount) bytes that were announced"
        let error = PasteboardError(.invalidArgument, message: text)
        // From now on the handler's bytes cannot be trusted, whatever it does next.
        state.end = .failure(error)
        return error
    }

    /// Adds bytes without waiting. It resumes no reader or writer, so it may be called under a connection's lock;
    /// ``deliver()`` has to be called after that lock is released.
    func append(_ bytes: Span<UInt8>) {
        state.withLock { state in
            if !state.isCancelled { state.append(bytes) }
        }
    }

    /// Adds a chunk without waiting, as the other method does, and without a copy.
    func append(_ chunk: Data) {
        state.withLock { state in
            guard !state.isCancelled else { return }
            state.chunks.append(chunk)
            state.waitingCount += chunk.count
        }
    }

    /// Passes the next chunk to a waiting reader.
    func deliver() {
        deliver(state.withLock { Self.delivery(&$0) })
    }

    /// Ends the stream after the bytes that it contains. Only the first end counts.
    func end(_ result: Result<Void, any Error>) {
        end { _ in result.map { nil } }
    }

    /// Ends the stream of a handler, which has to have written as many bytes as it announced.
    func end(ofHandler result: Result<Void, any Error>) {
        end { written in
            result.mapError(PasteboardError.init(ofHandler:)).flatMap {
                guard let byteCount, written < byteCount else { return .success(nil) }
                let text = "the handler wrote \(written) of the \(byteCount) bytes that were announced"
                return .failure(PasteboardError(.sourceTruncated, message: text))
            }
        }
    }

    private func end(_ make: (_ written: UInt64) -> Chunk) {
        let delivery = state.withLock { state in
            state.onCancel = nil
            if state.end == nil { state.end = make(state.written) }
            return Self.delivery(&state)
        }
        deliver(delivery)
    }

    /// Sets the closure that stops the producer when the consumer cancels the stream. It is called at most once.
    func onCancel(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isCancelled { state.onCancel = stop }
            return state.isCancelled
        }
        if isLate { stop() }
    }

    // MARK: The consumer

    func next(_ completion: @escaping Completion) {
        let delivery = state.withLock { state in
            state.reader = completion
            return Self.delivery(&state)
        }
        deliver(delivery)
    }

    func cancel() {
        cancel(.cancelled)
    }

    /// Drops the unread bytes and fails the reader with `error`. A stream that was read to its end does not change.
    func cancel(_ error: PasteboardError) {
        let (delivery, stop, discarded) = state.withLock { state -> (Delivery, (@Sendable () -> Void)?, [Data]) in
            guard !state.isCancelled, state.end == nil || !state.chunks.isEmpty else { return (Delivery(), nil, []) }
            // Releasing the program's bytes may run its code, so that happens after unlocking.
            let (stop, discarded) = (state.onCancel, state.chunks)
            state.isCancelled = true
            state.end = .failure(error)
            state.chunks = []
            state.waitingCount = 0
            state.onCancel = nil
            return (Self.delivery(&state), stop, discarded)
        }
        deliver(delivery)
        stop?()
        withExtendedLifetime(discarded) {}
    }

    // MARK: Both

    /// Calls to make after the lock is released.
    private struct Delivery {
        var completion: Completion?
        var chunk: Chunk = .success(nil)
        /// The size of a chunk for which the producer gets credit.
        var taken = 0
        var writers: [Writer] = []
        var areWanted = true
    }

    private static func delivery(_ state: inout State) -> Delivery {
        var delivery = Delivery()
        if let reader = state.reader {
            if !state.chunks.isEmpty {
                let chunk = state.chunks.removeFirst()
                state.waitingCount -= chunk.count
                (delivery.completion, delivery.chunk) = (reader, .success(chunk))
                if state.end == nil { delivery.taken = chunk.count }
                state.reader = nil
            } else if let end = state.end {
                (delivery.completion, delivery.chunk) = (reader, end)
                state.reader = nil
            }
        }
        if state.waitingCount < room || state.isCancelled {
            (delivery.writers, delivery.areWanted) = (state.writers, !state.isCancelled)
            state.writers = []
        }
        return delivery
    }

    private func deliver(_ delivery: Delivery) {
        delivery.completion?(delivery.chunk)
        if delivery.taken > 0 { onTaken?(delivery.taken) }
        for writer in delivery.writers { writer.resume(returning: delivery.areWanted) }
    }
}
