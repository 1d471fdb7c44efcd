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

    /// Calls the handler, and returns what it has made. If the task is cancelled, the handler is, too; a handler with a
    /// completion is not waited for then.
    func make(reporting report: @escaping ProgressReport) async throws -> HandlerResult {
        switch self {
        case .async(let body):
            return try await body()
        case .callback(let body):
            return try await Self.completed(report) { promise in
                body { promise.fulfil($0.map(HandlerResult.data), $1) }
            }
        case .file(let body):
            return try await Self.completed(report) { promise in
                body { url, _, error in promise.fulfil(opening: url, error) }
            }
        case .reporting(let body):
            let progress = LoadProgress()
            let observer = progress.observe { [weak progress] in progress?.pass(to: report) }
            defer { progress.removeObserver(observer) }
            return try await withTaskCancellationHandler {
                try await body(progress)
            } onCancel: {
                progress.cancel()
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

    /// Waits for the completion of a handler.
    ///
    /// - Parameter begin: calls the handler, which may block its thread, and returns its progress.
    private static func completed(
        _ report: @escaping ProgressReport,
        _ begin: (Promise) -> LoadProgress?
    ) async throws -> HandlerResult {
        let result = PendingResult<Promise.Outcome>()
        let handler = Lock(LoadProgress?.none)
        var observer: Int?
        defer { if let observer { handler.withLock(\.self)?.removeObserver(observer) } }
        return try await result.value {
            result.resolve(.failure(.cancelled))
            handler.withLock(\.self)?.cancel()
        } start: {
            guard !result.isResolved, let progress = begin(Promise(result)) else { return }
            handler.withLock { $0 = progress }
            if Task.isCancelled { return progress.cancel() }
            observer = progress.observe { [weak progress] in
                if !result.isResolved { progress?.pass(to: report) }
            }
        }.get()
    }
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
