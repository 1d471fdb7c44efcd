import FoundationEssentials
import PasteboardClient
import PasteboardTransport

/// One call of a handler, and its only result.
final class HandlerRun: Sendable {
    private enum Phase {
        case waiting
        case running(CancellableTask)
        case done
        case cancelled
    }

    private let handler: DataHandler
    private let report: @Sendable (HandlerReport) -> Void
    private let phase = Lock(Phase.waiting)

    /// - Parameter report: is called on the handler's threads when it reports progress, and once with the result,
    ///   unless the run is cancelled before.
    init(_ handler: DataHandler, report: @escaping @Sendable (HandlerReport) -> Void) {
        self.handler = handler
        self.report = report
    }

    /// Lets a thread of the pool for handlers call the handler.
    func start() { HandlerQueue.shared.add(self) }

    /// Stops the handler, because its result is no longer needed. Before the start it prevents the start.
    func cancel() {
        let task = phase.withLock { phase -> CancellableTask? in
            if case .done = phase { return nil }
            defer { phase = .cancelled }
            if case .running(let task) = phase { return task }
            return nil
        }
        guard let task else { return }
        // Cancelling runs the program's code.
        ThreadPool.completions.run { task.cancel() }
    }

    private var isCancelled: Bool {
        phase.withLock { phase in
            if case .cancelled = phase { true } else { false }
        }
    }

    /// Calls the handler in the current task.
    ///
    /// - Returns: whether the task may run other handlers. It was cancelled with the run otherwise.
    func run(in task: CancellableTask) async -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .waiting = phase else { return false }
            phase = .running(task)
            return true
        }
        guard isWanted else { return true }
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
        let isFirst = phase.withLock { phase in
            guard case .running = phase else { return false }
            phase = .done
            return true
        }
        guard isFirst else {
            result.discard()
            return false
        }
        report(.result(result.withoutSlices))
        return true
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
