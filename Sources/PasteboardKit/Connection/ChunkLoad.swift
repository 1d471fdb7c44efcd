import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A load that is read chunk by chunk. It holds what came and was not read; the broker is allowed to send as much again
/// as the reader takes, so that is never more than one window.
final class ChunkLoad: StreamSink {
    /// Small frames are collected into one chunk: a source that sends single bytes costs no more than another.
    private static let wantedChunk = 64 << 10

    typealias Next = Result<Data?, PasteboardError>

    private struct State {
        var stream: UInt64?
        var byteCount: Int64?
        var received: Int64 = 0
        var hasReport = false
        var chunks: [Data] = []
        /// How it ended, behind the chunks.
        var end: Next?
        var reader: PendingResult<Data?>?
        var timer: LoadTimer?
    }

    let result = PendingResult<OpenedLoad>()
    private let expected: UniformType
    private let progress: LoadProgress?
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

    var isCancelled: Bool {
        state.withLock { state in
            if case .failure = state.end { true } else { false }
        }
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    // MARK: What comes

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .answered(_, let answer):
            let byteCount = answer.byteCount.map { Int64(clamping: $0) }
            state.withLock { $0.byteCount = byteCount }
            let chunks = ByteChunks(byteCount: byteCount, source: ByteChunks.Source(.load(self)))
            let load = OpenedLoad(chunks, answer, expected: expected)
            effects.append { self.result.resolve(.success(load)) }
        case .progress(_, let progress):
            guard let report = self.progress else { return }
            state.withLock { $0.hasReport = true }
            effects.append {
                report.report(
                    completed: Int64(clamping: progress.completed ?? 0),
                    total: progress.total.map { Int64(clamping: $0) }
                )
            }
        case .passed(_, let answer, let descriptor):
            effects.append { HandlerPool.files.run { self.take(descriptor, answer) } }
        case .ended:
            finish(.success(nil), &effects)
        default:
            break
        }
    }

    func received(_ bytes: Span<UInt8>, isLast: Bool, _ effects: inout Effects) -> BytesDisposal {
        let (received, total, hasReport) = state.withLock { state in
            state.received += Int64(bytes.count)
            if let last = state.chunks.indices.last, state.chunks[last].count < Self.wantedChunk {
                state.chunks[last].append(copying: bytes)
            } else if !bytes.isEmpty {
                var chunk = Data()
                chunk.append(copying: bytes)
                state.chunks.append(chunk)
            }
            return (state.received, state.byteCount, state.hasReport)
        }
        if let progress, !hasReport { effects.append { progress.report(completed: received, total: total) } }
        if isLast { finish(.success(nil), &effects) } else { effects.append { self.serve() } }
        return .held
    }

    /// The chunks are read from the file as they are asked for.
    private func take(_ descriptor: DescriptorBox, _ answer: Answer) {
        do throws(Failure) {
            let file = try PassedFile(descriptor, answer)
            let reader = ChunkSourceReader(FileChunks(file), progress: progress, deadline: deadline)
            let chunks = ByteChunks(
                byteCount: Int64(clamping: file.byteCount),
                source: ByteChunks.Source(.chunks(reader))
            )
            var load = OpenedLoad(chunks, answer, expected: expected)
            load.inPlace = file.place(answer.path).map { URL(filePath: $0, directoryHint: .notDirectory) }
            result.resolve(.success(load))
        } catch {
            progress?.end(byteCount: nil)
            result.resolve(.failure(PasteboardError(error)))
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        finish(.failure(PasteboardError(failure)), &effects)
    }

    private func finish(_ end: Next, _ effects: inout Effects) {
        effects.append {
            switch end {
            case .success:
                self.progress?.end(byteCount: self.byteCount)
            case .failure(let error):
                self.progress?.end(byteCount: nil)
                self.result.resolve(.failure(error))
            }
            // Only now: whoever reads to the end finds the progress ended.
            self.state.withLock { $0.end = $0.end ?? end }
            self.serve()
        }
    }

    private var byteCount: Int { Int(clamping: state.withLock { $0.received }) }

    // MARK: The reader

    func next() async throws(PasteboardError) -> Data? {
        let reader = PendingResult<Data?>()
        let isSecond = state.withLock { state in
            guard state.reader == nil else { return true }
            state.reader = reader
            return false
        }
        guard !isSecond else {
            throw PasteboardError(.invalidArgument, message: "the chunks of one load are read by one task at a time")
        }
        serve()
        return try await reader.value(onCancel: { self.cancel() })
    }

    /// Gives a waiting reader what there is.
    private func serve() {
        let (reader, next, stream) = state.withLock { state -> (PendingResult<Data?>?, Next, UInt64?) in
            guard let reader = state.reader else { return (nil, .success(nil), nil) }
            if !state.chunks.isEmpty {
                state.reader = nil
                return (reader, .success(state.chunks.removeFirst()), state.end == nil ? state.stream : nil)
            }
            guard let end = state.end else { return (nil, .success(nil), nil) }
            state.reader = nil
            return (reader, end, nil)
        }
        guard let reader else { return }
        reader.resolve(next)
        if let stream, case .success(let chunk) = next { live.consumed(stream, count: chunk?.count ?? 0) }
    }

    /// Ends the load unless it has ended. What was not read is let go.
    func cancel(_ error: PasteboardError = .cancelled) {
        let isRunning = state.withLock { state in
            let isRunning = state.end == nil
            // A reader that comes back must not take what is missing for the end.
            if isRunning || !state.chunks.isEmpty { state.end = .failure(error) }
            state.chunks = []
            return isRunning
        }
        if isRunning {
            live.cancel(self)
            progress?.end(byteCount: nil)
        }
        result.resolve(.failure(error))
        serve()
    }
}
