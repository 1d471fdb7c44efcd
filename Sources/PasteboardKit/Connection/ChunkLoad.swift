import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load that is read chunk by chunk. The reader's progress renews the credit, so at most one credit window of bytes
/// waits in the stream.
final class ChunkLoad: StreamSink {
    private struct State {
        var operation: LoadOperation
        var chunks = ChunkStream(byteCount: nil)
        var received = 0
        var isOver = false
        /// The error with which the load was cancelled or failed.
        var failure: PasteboardError?
        var timer: Task<Void, Never>?
    }

    let result = PendingResult<OpenedLoad>()
    private let progress: LoadProgress?
    private let expected: UniformType
    private let deadline: LoadDeadline?
    private let live: BrokerConnection
    private let state: Lock<State>

    init(_ expected: UniformType, progress: LoadProgress?, deadline: LoadDeadline?, live: BrokerConnection) {
        self.expected = expected
        self.progress = progress
        self.deadline = deadline
        self.live = live
        state = Lock(State(operation: LoadOperation(expecting: expected.identifier)))
        let timer = deadline?.timer(grace: LoadDeadline.brokerGrace) { [weak self] in
            self?.cancel(deadline?.error ?? .cancelled)
        }
        state.withLock { $0.timer = timer }
    }

    deinit {
        state.withLock { $0.timer }?.cancel()
    }

    var isCancelled: Bool { state.withLock { $0.failure != nil } }

    var chunks: ChunkStream { state.withLock { $0.chunks } }

    // MARK: Receiving

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        let (step, chunks, failure) = state.withLock { state in
            let step = state.operation.handle(event, in: bytes)
            switch step {
            case .answered:
                let (live, stream, answer) = (live, event.stream, state.operation.answer)
                state.chunks = ChunkStream(
                    byteCount: answer?.byteCount,
                    isArchive: answer?.isArchive == true,
                    fileName: answer?.suggestedName
                ) { count in live.tell { $0.consumed(stream, count: count) } }
            case .bytes(let range):
                state.received += range.count
                // Many bytes are not copied. A few would keep much memory from being used again.
                if range.count > WireLimits.sharedDataLength, let memory {
                    state.chunks.append(Data(range, lentBy: memory))
                } else {
                    state.chunks.append(bytes.extracting(range))
                }
            case .progress, .over, .none: break
            }
            return (step, state.chunks, state.failure)
        }
        // A cancellation just before the answer has reached only the stream that this one replaces.
        if step == .answered, let failure { chunks.cancel(failure) }
        return step != .none
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.operation.fail(failure) }
    }

    /// Receives a passed file, which is read as the chunks are requested.
    private func receive(_ descriptor: DescriptorBox, _ answer: Answer) {
        ThreadPool.files.run { [self] in
            do throws(Failure) {
                let file = try PassedFile(descriptor, answer)
                let chunks = FileChunks(file, isArchive: answer.isArchive, fileName: answer.suggestedName)
                let reader = LoadReader(chunks, progress: progress, deadline: deadline)
                var load = OpenedLoad(reader: reader, type: answer.type(expected: expected))
                load.file = file.attributes
                load.inPlace = file.verified(path: answer.path).map { URL(filePath: $0, directoryHint: .notDirectory) }
                result.resolve(.success(load))
            } catch {
                progress?.end(byteCount: nil)
                result.resolve(.failure(PasteboardError(error)))
            }
        }
    }

    // MARK: The end

    func deliver() {
        let (chunks, answer, report, end) = state.withLock { state in
            (state.chunks, state.operation.answer.take(), state.operation.takeProgress(), state.operation.end.take())
        }
        if let answer {
            chunks.onCancel { [weak self] in self?.cancel(.cancelled) }
            result.resolve(.success(OpenedLoad(reader: LoadReader(chunks), type: answer.type(expected: expected))))
        }
        if let report { progress?.report(report) }
        switch end {
        case nil: chunks.deliver()
        case .complete, .tooLarge: self.end(nil)
        case .passed(let descriptor, let answer): receive(descriptor, answer)
        case .failed(let failure): self.end(PasteboardError(failure))
        }
    }

    private func end(_ error: PasteboardError?) {
        let (chunks, received) = state.withLock { state in
            state.isOver = true
            state.failure = state.failure ?? error
            return (state.chunks, state.received)
        }
        // The progress ends first: a reader that finds the end has to find the progress ended.
        progress?.end(byteCount: error == nil ? received : nil)
        if let error { result.resolve(.failure(error)) }
        chunks.end(error.map { .failure($0) } ?? .success(()))
    }

    /// Ends the load unless it has ended. Unread bytes are dropped.
    func cancel(_ error: PasteboardError = .cancelled) {
        let (isFirst, chunks) = state.withLock { state in
            defer { state.isOver = true }
            state.failure = state.failure ?? error
            return (!state.isOver, state.chunks)
        }
        chunks.cancel(error)
        if isFirst {
            live.cancel(self)
            progress?.end(byteCount: nil)
        }
        result.resolve(.failure(error))
    }
}

extension Data {
    /// Received bytes in the memory into which they were read. They are not copied.
    fileprivate init(_ range: Range<Int>, lentBy memory: ReadMemory) {
        // The data keeps the memory alive as long as it uses it.
        self.init(
            bytesNoCopy: memory.lend(range),
            count: range.count,
            deallocator: .custom { _, _ in memory.release() }
        )
    }
}
