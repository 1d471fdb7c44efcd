import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// The handler that a source registers to make the bytes of one representation.
enum DataHandler: Sendable {
    typealias Completion = @Sendable (Data?, (any Error)?) -> Void
    typealias FileCompletion = @Sendable (URL?, Bool, (any Error)?) -> Void

    case callback(@Sendable (@escaping Completion) -> LoadProgress?)
    case file(@Sendable (@escaping FileCompletion) -> LoadProgress?)
    case async(@Sendable () async throws -> HandlerResult)
    /// An async handler that reports progress. The progress is passed on to the destination and cancelled with the
    /// task.
    case reporting(@Sendable (LoadProgress) async throws -> HandlerResult)
    /// A handler that returns when it has written all bytes.
    case byteStream(byteCount: UInt64?, @Sendable (ByteWriter) async throws -> Void)
}

extension DataHandler {
    /// Receives the progress of a handler, on its threads. The total is negative if it is not known.
    typealias ProgressReport = @Sendable (_ completed: Int64, _ total: Int64) -> Void

    /// Calls the handler, and returns what it has made. If the task is cancelled, the handler is, too; one with a
    /// completion is not waited for then.
    func make(reporting report: @escaping ProgressReport) async throws -> HandlerResult {
        switch self {
        case .async(let body):
            return try await body()
        case .callback(let body):
            return try await CompletedCall(report).result { promise in
                body { promise.fulfil($0.map(HandlerResult.data), $1) }
            }
        case .file(let body):
            return try await CompletedCall(report).result { promise in
                body { url, _, error in promise.fulfil(opening: url, error) }
            }
        case .reporting(let body):
            let (progress, isOver) = (LoadProgress(), Flag())
            let observer = progress.observe { [weak progress] in
                if !isOver.isSet { progress?.pass(to: report) }
            }
            defer {
                isOver.set()
                progress.removeObserver(observer)
            }
            return try await withTaskCancellationHandler {
                try await body(progress)
            } onCancel: {
                // Not here, where the runtime holds the lock of the task.
                ThreadPool.completions.run { progress.cancel() }
            }
        case .byteStream(let byteCount, let body):
            return .chunks(Self.stream(byteCount, report, body))
        }
    }

    /// Returns the stream before the bytes are written. The handler then runs until it returns or the consumer cancels
    /// the stream.
    private static func stream(
        _ byteCount: UInt64?,
        _ report: @escaping ProgressReport,
        _ body: @escaping @Sendable (ByteWriter) async throws -> Void
    ) -> ChunkStream {
        let stream = ChunkStream(byteCount: byteCount)
        let writer = ByteWriter(stream)
        writer.progress.observe { [weak progress = writer.progress] in
            if !stream.isOver { progress?.pass(to: report) }
        }
        let task = Task(executorPreference: ThreadPool.shared) {
            do {
                try await body(writer)
                stream.end(ofHandler: .success(()))
            } catch {
                stream.end(ofHandler: .failure(error))
            }
        }
        stream.onCancel { ThreadPool.completions.run { task.cancel() } }
        return stream
    }
}

/// The call of a handler with a completion. The handler may block its thread before and after the completion.
private final class CompletedCall: Sendable {
    private struct State {
        var progress: LoadProgress?
        var observer: Int?
        var isCancelled = false
        var isOver = false
    }

    private let outcome = PendingResult<Promise.Outcome>()
    private let report: DataHandler.ProgressReport
    private let state = Lock(State())

    init(_ report: @escaping DataHandler.ProgressReport) {
        self.report = report
    }

    /// Waits for the completion.
    ///
    /// - Parameter begin: calls the handler, and returns its progress.
    func result(_ begin: @escaping @Sendable (Promise) -> LoadProgress?) async throws -> HandlerResult {
        defer { end() }
        return try await outcome.value {
            self.cancel()
        } start: {
            // On a thread of its own, because this task goes on as soon as there is a result.
            ThreadPool.shared.run { self.call(begin) }
        }.get()
    }

    private func call(_ begin: (Promise) -> LoadProgress?) {
        guard !outcome.isResolved, let progress = begin(Promise(outcome)) else { return }
        let isCancelled = state.withLock { state in
            state.progress = progress
            return state.isCancelled
        }
        if isCancelled { return progress.cancel() }
        let observer = progress.observe { [weak self, weak progress] in
            if let self, !self.outcome.isResolved { progress?.pass(to: self.report) }
        }
        let isOver = state.withLock { state in
            state.observer = observer
            return state.isOver
        }
        if isOver { progress.removeObserver(observer) }
    }

    private func cancel() {
        // A handler that has completed is not cancelled.
        guard outcome.resolve(.failure(.cancelled)) else { return }
        let progress = state.withLock { state in
            state.isCancelled = true
            return state.progress
        }
        // Not here, where the runtime holds the lock of the task.
        if let progress { ThreadPool.completions.run { progress.cancel() } }
    }

    private func end() {
        let (progress, observer) = state.withLock { state in
            state.isOver = true
            return (state.progress.take(), state.observer)
        }
        if let observer { progress?.removeObserver(observer) }
    }
}

/// A value that is set once.
private final class Flag: Sendable {
    private let state = Lock(false)

    var isSet: Bool { state.withLock(\.self) }

    func set() { state.withLock { $0 = true } }
}

extension LoadProgress {
    fileprivate func pass(to report: DataHandler.ProgressReport) {
        let (completed, total) = reported
        // Nothing has been reported yet.
        if completed > 0 || total >= 0 { report(completed, total) }
    }
}

/// The result that a handler's completion sets. Only the first use of the completion counts. If it is released unused,
/// the handler has failed.
private final class Promise: Sendable {
    typealias Outcome = Result<HandlerResult, any Error>

    private let result: PendingResult<Outcome>

    init(_ result: PendingResult<Outcome>) {
        self.result = result
    }

    deinit {
        finish(.failure(PasteboardError.broken("the load handler never called its completion")))
    }

    private func finish(_ outcome: Outcome) {
        // After a cancellation no one takes it.
        if !result.resolve(.success(outcome)) { outcome.discard() }
    }

    func fulfil(_ bytes: HandlerResult?, _ error: (any Error)?) {
        if let error {
            finish(.failure(error))
        } else if let bytes {
            finish(.success(bytes))
        } else {
            finish(.failure(PasteboardError.broken("the load handler completed with neither bytes nor an error")))
        }
    }

    /// The file is opened before the handler's completion returns: after that it may no longer exist.
    func fulfil(opening url: URL?, _ error: (any Error)?) {
        guard let url, error == nil else { return fulfil(nil, error) }
        do throws(PasteboardError) {
            fulfil(try HandlerResult(opening: url), nil)
        } catch {
            finish(.failure(error))
        }
    }
}
