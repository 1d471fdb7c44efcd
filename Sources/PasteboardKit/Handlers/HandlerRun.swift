import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// One call of a handler, in a task of its own, and its only result.
final class HandlerRun: Sendable {
    private enum Phase {
        case open
        /// The result was reported. A byte stream still reports progress.
        case done
        case cancelled
    }

    private let handler: DataHandler
    private let report: @Sendable (HandlerReport) -> Void
    private let task = CancellableTask()
    private let phase = Lock(Phase.open)

    /// - Parameter report: is called on the handler's threads when it reports progress, and once with the result,
    ///   unless the run is cancelled before.
    init(_ handler: DataHandler, report: @escaping @Sendable (HandlerReport) -> Void) {
        self.handler = handler
        self.report = report
    }

    /// Lets a thread of the pool for handlers call the handler.
    func start() {
        // Detached, because the caller may be a task of another handler.
        task.adopt(Task.detached(executorPreference: ThreadPool.shared) { await self.run() })
    }

    /// Stops the handler, because its result is no longer needed. Before the start it prevents the start.
    func cancel() {
        guard end(.cancelled) else { return }
        // Cancelling runs the program's code.
        ThreadPool.completions.run { self.task.cancel() }
    }

    /// - Returns: false if it was over before.
    private func end(_ end: Phase) -> Bool {
        phase.withLock { phase in
            guard case .open = phase else { return false }
            phase = end
            return true
        }
    }

    private var isCancelled: Bool {
        phase.withLock { if case .cancelled = $0 { true } else { false } }
    }

    private func run() async {
        guard !isCancelled else { return }
        let result: Result<HandlerResult, any Error>
        do {
            result = .success(
                try await handler.make { completed, total in
                    if !self.isCancelled { self.report(.progress(completed: completed, total: total)) }
                }
            )
        } catch {
            result = .failure(error)
        }
        guard end(.done) else { return result.discard() }
        report(.result(result.withoutSlices))
    }
}

extension Result where Success == HandlerResult {
    /// The result with data whose first index is 0. A slice would also keep the memory of the whole data alive.
    fileprivate var withoutSlices: Self {
        guard case .success(.data(let data)) = self, data.startIndex != 0 else { return self }
        return .success(.data(Data(data)))
    }

    /// Cancels chunks that no one takes.
    func discard() { if case .success(.chunks(let chunks)) = self { chunks.cancel() } }
}

/// A report of a handler's run.
enum HandlerReport: Sendable {
    case progress(completed: Int64, total: Int64)
    case result(Result<HandlerResult, any Error>)
}
