import FoundationEssentials
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The answer to an ask of the broker: the run of a handler, and the sending of its result.
///
/// Data is sent by the thread that reports the result, or by the loop while the inbox of the connection collects. A
/// file is passed by the thread that reports it. Chunks are sent by a task, and so is the rest of data for which there
/// was no credit or room.
final class AskAnswer: AskWork {
    private struct State {
        /// nil once the ask is over: a handler that runs longer does not keep the connection.
        var stream: StreamReference?
        var handler: DataHandler?
        var run: HandlerRun?
        var chunks: (any ChunkSource)?
        var isOver = false
        /// Whether bytes wait for credit or the socket, so that no progress is reported.
        var isSending = false
        var reports = ReportRate()
    }

    /// Whether the path of a file is part of the answer.
    private let isInPlace: Bool
    private let state: Lock<State>

    init(_ ask: AskFields, on stream: StreamReference, with handler: DataHandler) {
        isInPlace = ask.inPlaceWelcome
        state = Lock(State(stream: stream, handler: handler))
    }

    func start() {
        let run = state.withLock { state -> HandlerRun? in
            guard let handler = state.handler.take(), !state.isOver else { return nil }
            let run = HandlerRun(handler) { report in self.handle(report) }
            state.run = run
            return run
        }
        run?.start()
    }

    private func handle(_ report: HandlerReport) {
        switch report {
        case .progress(let completed, let total):
            guard state.withLock({ !$0.isSending && $0.reports.isDue(at: MonotonicClock.now()) }) else { return }
            state.withLock(\.stream)?.tell {
                $0.progress($1, completed: UInt64(clamping: completed), total: UInt64(exactly: total))
            }
        case .result(let result):
            // Released after unlocking.
            let run = state.withLock { $0.run.take() }
            let stream = state.withLock(\.stream)
            withExtendedLifetime(run) {
                if let stream { send(isInPlace ? result.map(\.located) : result, on: stream) } else { result.discard() }
            }
        }
    }

    private func send(_ result: Result<HandlerResult, any Error>, on stream: StreamReference) {
        switch result {
        case .failure(let error):
            stream.endAnswer(Failure(ofHandler: error))
        case .success(.data(let data)):
            let bytes: OutgoingBytes = { $0(data.span) }
            stream.answer(bytes, count: data.count) { sent in
                self.inTask(on: stream) { _ in _ = await stream.send(bytes, from: sent, isLast: true) }
            }
        case .success(.file(let file)):
            // A frame that passes a descriptor cannot mark the file as an archive.
            let (count, path, name) = (file.byteCount, file.path, file.name)
            if file.isArchive || !stream.answer(file.descriptor, byteCount: count, path: path, fileName: name) {
                send(FileChunks(file), on: stream)
            }
        case .success(.chunks(let chunks)):
            send(chunks, on: stream)
        }
    }

    private func send(_ chunks: any ChunkSource, on stream: StreamReference) {
        let isOver = state.withLock { state in
            if !state.isOver { state.chunks = chunks }
            return state.isOver
        }
        if isOver { return chunks.cancel() }
        let (content, name) = (chunks.isArchive ? ContentForm.folderArchive : nil, chunks.fileName)
        stream.tell { $0.answer($1, byteCount: chunks.byteCount, content: content, fileName: name) }
        inTask(on: stream) { answer in
            while let chunk = try await chunks.next() {
                answer.state.withLock { $0.isSending = true }
                // `cancel` may come only after this task has ended.
                guard await stream.send({ $0(chunk.span) }, isLast: false) else { return chunks.cancel() }
                answer.state.withLock { $0.isSending = false }
            }
        }
    }

    /// Goes on in a task. Nothing in it blocks its thread.
    private func inTask(
        on stream: StreamReference,
        _ body: @escaping @Sendable (AskAnswer) async throws -> Void
    ) {
        Task(executorPreference: ThreadPool.calls) {
            var failure: Failure?
            do { try await body(self) } catch { failure = Failure(ofHandler: error) }
            // Released after unlocking.
            let chunks = self.state.withLock { $0.chunks.take() }
            withExtendedLifetime(chunks) { stream.endAnswer(failure) }
        }
    }

    func cancel() {
        let (stream, run, chunks, handler) = state.withLock { state in
            state.isOver = true
            return (state.stream.take(), state.run.take(), state.chunks.take(), state.handler.take())
        }
        // Released after unlocking.
        withExtendedLifetime((stream, handler)) {}
        run?.cancel()
        chunks?.cancel()
    }
}
