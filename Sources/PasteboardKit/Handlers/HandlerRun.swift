import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// One call of a handler on the pool's threads, and its only result.
final class HandlerRun: Sendable {
    private enum Work {
        case none
        case task(CancellableTask, LoadProgress?)
        case progress(LoadProgress)
        case share(Int, of: OnceHandler)
    }

    private struct State {
        var work = Work.none
        var isOver = false
        var isCancelled = false
        /// Removes the observer of the handler's progress when the run is over.
        var stopObserving: (@Sendable () -> Void)?
    }

    typealias Report = @Sendable (HandlerRun, HandlerReport) -> Void

    private let handler: DataHandler
    private let report: Report
    private let state = Lock(State())

    /// - Parameter report: is called on the handler's threads when it reports progress, and once with the result,
    ///   unless the run is cancelled before.
    init(_ handler: DataHandler, report: @escaping Report) {
        self.handler = handler
        self.report = report
    }

    func start() {
        switch handler {
        case .callback(let body):
            ThreadPool.shared.run {
                self.run { promise in body { promise.fulfil($0.map(HandlerResult.data), $1) } }
            }
        case .file(let body):
            ThreadPool.shared.run {
                self.run { promise in body { url, _, error in promise.fulfil(opening: url, error) } }
            }
        case .async(let body):
            task(nil, body)
        case .reporting(let body):
            let progress = LoadProgress()
            observe(progress)
            task(progress) { try await body(progress) }
        case .byteStream(let byteCount, let body):
            stream(byteCount, body)
        case .once(let handler):
            let share = handler.join { report in
                switch report {
                case .progress: self.report(self, report)
                case .result(let result): self.finish(result)
                }
            }
            attach(.share(share, of: handler))
        }
    }

    /// Finishes the run with the stream before the bytes are written. The handler then runs until it returns or the
    /// consumer cancels the stream.
    private func stream(_ byteCount: UInt64?, _ body: @escaping @Sendable (ByteWriter) async throws -> Void) {
        guard !state.withLock({ $0.isOver }) else { return }
        let stream = ChunkStream(byteCount: byteCount)
        let writer = ByteWriter(stream)
        writer.progress.observe { [weak progress = writer.progress] in
            if let progress, !stream.isOver { self.passOn(progress) }
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
        finish(.success(.chunks(stream)))
    }

    private func task(_ progress: LoadProgress?, _ body: @escaping @Sendable () async throws -> HandlerResult) {
        let task = CancellableTask()
        attach(.task(task, progress))
        task.adopt(
            Task(executorPreference: ThreadPool.shared) {
                do {
                    self.finish(.success(try await body()))
                } catch {
                    self.finish(.failure(error))
                }
            }
        )
    }

    // MARK: Running in a task of several handlers

    /// Whether the handler may be run by ``run(in:)``.
    var isAsync: Bool {
        if case .async = handler { true } else { false }
    }

    /// Runs an async handler in the current task.
    ///
    /// - Returns: whether the task may run other handlers. It was cancelled with the run otherwise.
    func run(in task: CancellableTask) async -> Bool {
        let isOver = state.withLock { state in
            if !state.isOver { state.work = .task(task, nil) }
            return state.isOver
        }
        guard !isOver, case .async(let body) = handler else { return true }
        let result: Result<HandlerResult, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        return finish(result)
    }

    /// Stops the handler, because its result is no longer needed. Before the start it prevents the start.
    func cancel() {
        guard let work = end(cancelled: true) else { return }
        stop(work)
    }

    private func run(_ body: (Promise) -> LoadProgress?) {
        guard !state.withLock({ $0.isOver }) else { return }
        guard let progress = body(Promise { self.finish($0) }) else { return }
        guard attach(.progress(progress)) else { return }
        observe(progress)
    }

    /// Passes on the progress of a handler until the run is over.
    private func observe(_ progress: LoadProgress) {
        let observer = progress.observe { [weak self, weak progress] in
            if let self, let progress, !state.withLock({ $0.isOver }) { passOn(progress) }
        }
        let stopObserving: @Sendable () -> Void = { [weak progress] in progress?.removeObserver(observer) }
        let isOver = state.withLock { state in
            if !state.isOver { state.stopObserving = stopObserving }
            return state.isOver
        }
        if isOver { stopObserving() }
    }

    private func passOn(_ progress: LoadProgress) {
        let (completed, total) = progress.reported
        // Nothing has been reported yet.
        if completed > 0 || total >= 0 { report(self, .progress(completed: completed, total: total)) }
    }

    /// Sets the work that a cancellation stops. The run may already be cancelled or finished by now.
    ///
    /// - Returns: whether the run continues.
    @discardableResult
    private func attach(_ work: Work) -> Bool {
        let (isOver, isCancelled) = state.withLock { state in
            if !state.isOver { state.work = work }
            return (state.isOver, state.isCancelled)
        }
        if isCancelled { stop(work) }
        return !isOver
    }

    private func stop(_ work: Work) {
        // Cancelling runs the program's code.
        switch work {
        case .none: break
        case .task(let task, let progress):
            ThreadPool.completions.run {
                task.cancel()
                progress?.cancel()
            }
        case .progress(let progress): ThreadPool.completions.run { progress.cancel() }
        case .share(let share, let handler): handler.leave(share)
        }
    }

    /// - Returns: false if the run is over already.
    @discardableResult
    private func finish(_ result: Result<HandlerResult, any Error>) -> Bool {
        guard end() != nil else {
            discard(result)
            return false
        }
        report(self, .result(result.withoutSlices))
        return true
    }

    /// Discards a result that no one takes, because the run is over.
    private func discard(_ result: Result<HandlerResult, any Error>) {
        if case .success(.chunks(let chunks)) = result { chunks.cancel() }
    }

    /// Ends the run, and returns the work that was under way; nil if the run was already over.
    private func end(cancelled isCancelled: Bool = false) -> Work? {
        let (work, stopObserving) = state.withLock { state -> (Work?, (@Sendable () -> Void)?) in
            guard !state.isOver else { return (nil, nil) }
            let (work, stopObserving) = (state.work, state.stopObserving)
            state.isOver = true
            state.isCancelled = isCancelled
            state.work = .none
            state.stopObserving = nil
            return (work, stopObserving)
        }
        stopObserving?()
        return work
    }

    /// The result that a handler's completion sets. Only the first use of the completion counts. If it is released
    /// unused, the handler has failed.
    private final class Promise: Sendable {
        private let finish: @Sendable (Result<HandlerResult, any Error>) -> Void

        init(_ finish: @escaping @Sendable (Result<HandlerResult, any Error>) -> Void) {
            self.finish = finish
        }

        deinit {
            finish(.failure(PasteboardError.broken("the load handler never called its completion")))
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
}

extension Result where Success == HandlerResult {
    /// The result with data whose first index is 0. A slice would also keep the memory of the whole data alive.
    fileprivate var withoutSlices: Self {
        guard case .success(.data(let data)) = self, data.startIndex != 0 else { return self }
        return .success(.data(Data(data)))
    }
}

/// A report of a handler's run.
enum HandlerReport: Sendable {
    case progress(completed: Int64, total: Int64)
    case result(Result<HandlerResult, any Error>)
}

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
    /// One of the other handlers, which runs once for all loads.
    case once(OnceHandler)
}
