#if DEBUG
import PasteboardTransport

/// Reports a task that blocks the thread of a connection. It exists only in debug builds.
final class BlockedThreadWatch: Sendable {
    static let interval = Duration.seconds(1)

    private struct State {
        /// The number of jobs so far.
        var job = 0
        var isRunning = false
        /// The number of jobs at the last look, and whether the last of them was running.
        var seen = (job: 0, isRunning: false)
        /// Whether a task looks at the thread regularly.
        var isWatching = false
    }

    private let report: @Sendable (String) -> Void
    private let state = Lock(State())

    init(_ report: @escaping @Sendable (String) -> Void) {
        self.report = report
    }

    /// - Returns: whether ``start()`` has to be called.
    func jobBegins() -> Bool {
        state.withLock { state in
            state.job += 1
            state.isRunning = true
            return !exchange(&state.isWatching, with: true)
        }
    }

    /// Looks at the thread regularly, until no job runs.
    func start() {
        // Detached, so that it inherits neither the priority nor the task-local values of the job.
        Task.detached { [weak self] in
            while (try? await Task.sleep(for: Self.interval)) != nil, let self, look() {}
        }
    }

    func jobEnds() {
        state.withLock { $0.isRunning = false }
    }

    /// Reports the current job if it was running at the last look, too.
    ///
    /// - Returns: whether to look again.
    func look() -> Bool {
        let (isBlocked, goesOn) = state.withLock { state in
            let now = (job: state.job, isRunning: state.isRunning)
            let isSame = now == state.seen
            state.seen = now
            // A blocked thread is reported once.
            state.isWatching = !isSame
            return (isSame && now.isRunning, !isSame)
        }
        if isBlocked { report(Self.message) }
        return goesOn
    }

    static let message = """
        PasteboardKit: a task has blocked the thread of a connection for \(interval) or longer. Until it goes on, nothing \
        is sent or received on this connection. The task prefers PasteboardConnection.executor, so it must not block: use \
        await instead of a blocking call, or run that call in a task with another executor.
        """

    static func print(_ message: String) {
        try? System.write(Array("\(message)\n".utf8).span, to: 2)
    }
}
#endif
