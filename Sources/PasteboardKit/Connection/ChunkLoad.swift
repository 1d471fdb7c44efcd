import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load that is read chunk by chunk. The reader's progress renews the credit, so at most one credit window of bytes
/// waits in the stream.
final class ChunkLoad: LoadSink {
    private struct State {
        var stream: UInt64?
        var chunks = ChunkStream(byteCount: nil)
        var received: Int64 = 0
        var sourceReports = false
        var isOver = false
        /// The error with which the load was cancelled or failed.
        var failure: PasteboardError?
        var timer: LoadTimer?
    }

    let result = PendingResult<OpenedLoad>()
    let progress: LoadProgress?
    private let expected: UniformType
    private let deadline: LoadDeadline?
    private let live: LiveConnection
    private let state = Lock(State())

    init(_ expected: UniformType, progress: LoadProgress?, deadline: LoadDeadline?, live: LiveConnection) {
        self.expected = expected
        self.progress = progress
        self.deadline = deadline
        self.live = live
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

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    // MARK: Receiving

    func answered(_ answer: Answer, _ effects: inout [ConnectionEffect]) {
        let (chunks, failure) = state.withLock { state in
            let (live, stream) = (live, state.stream ?? 0)
            state.chunks = ChunkStream(
                byteCount: answer.byteCount,
                isArchive: answer.isArchive,
                fileName: answer.suggestedName
            ) { live.consumed(stream, count: $0) }
            return (state.chunks, state.failure)
        }
        // A cancellation just before this has reached only the stream that this one replaces.
        if let failure { chunks.cancel(failure) }
        effects.append(.deliver(.answered(answer), to: self))
    }

    func sourceReports() {
        state.withLock { $0.sourceReports = true }
    }

    var borrowsBytes: Bool { true }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        chunks.append(bytes)
        return received(bytes.count, isLast: isLast, &effects)
    }

    func received(_ bytes: Data, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        chunks.append(bytes)
        return received(bytes.count, isLast: isLast, &effects)
    }

    private func received(_ count: Int, isLast: Bool, _ effects: inout [ConnectionEffect]) -> BytesDisposal {
        let (chunks, received, sourceReports) = state.withLock { state in
            state.received += Int64(count)
            return (state.chunks, state.received, state.sourceReports)
        }
        if progress != nil, !sourceReports { report(received, of: chunks.byteCount, &effects) }
        if isLast { finish(&effects) } else { effects.append(.deliver(.changed, to: self)) }
        return .held
    }

    /// Takes a passed file, which is read as the chunks are requested.
    private func take(_ descriptor: DescriptorBox, _ answer: Answer) {
        ThreadPool.files.run { [self] in
            do throws(Failure) {
                let file = try PassedFile(descriptor, answer)
                let chunks = FileChunks(file, isArchive: answer.isArchive, fileName: answer.suggestedName)
                let reader = LoadReader(chunks, progress: progress, deadline: deadline)
                var load = OpenedLoad(ByteChunks(reader), answer, expected: expected)
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

    func finish(_ effects: inout [ConnectionEffect]) {
        effects.append(.deliver(.finished, to: self))
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .answered(let answer):
            let chunks = chunks
            chunks.onCancel { [weak self] in self?.cancel(.cancelled) }
            result.resolve(.success(OpenedLoad(ByteChunks(LoadReader(chunks)), answer, expected: expected)))
        case .event(.passed(_, let answer, let descriptor)):
            take(descriptor, answer)
        case .progress(let completed, let total):
            progress?.report(completed: completed, total: total)
        case .changed:
            chunks.deliver()
        case .finished:
            end(nil)
        case .failed(let failure):
            end(PasteboardError(failure))
        case .event:
            break
        }
    }

    private func end(_ error: PasteboardError?) {
        let (chunks, received) = state.withLock { state in
            state.isOver = true
            state.failure = state.failure ?? error
            return (state.chunks, state.received)
        }
        // The progress ends first: a reader that finds the end has to find the progress ended.
        progress?.end(byteCount: error == nil ? Int(clamping: received) : nil)
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
