import PasteboardTransport

/// Runs the tasks that prefer it on the thread of a connection, so that a result is used on the thread that has read
/// it.
///
/// It belongs to a ``PasteboardConnection``, whose thread changes when it reconnects. While there is no thread, the
/// jobs run on the pool of handlers, because a task that is not run would never end. On one thread they run one after
/// the other, in the order in which they were added. While the thread changes, two of them may run at the same time.
final class ConnectionExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// The connection whose thread runs the jobs.
        var live: LiveConnection?
        /// The number of that connection, or of the last one. The thread of an older connection may start later.
        var number = 0
        var lastNumber = 0
        /// Whether that thread waits for its connection, and has to be woken.
        var isWaiting = false
        /// Whether a thread of the pool runs the jobs.
        var isInPool = false

        /// Whether a thread of the pool has to be started for the jobs.
        mutating func needsPool() -> Bool {
            guard live == nil, !jobs.isEmpty else { return false }
            return !exchange(&isInPool, with: true)
        }
    }

    private let state = Lock(State())
    #if DEBUG
    private let watch = BlockedThreadWatch { BlockedThreadWatch.print($0) }
    #endif

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (sleeping, needsPool) = state.withLock { state -> (LiveConnection?, Bool) in
            state.jobs.append(job)
            return (exchange(&state.isWaiting, with: false) ? state.live : nil, state.needsPool())
        }
        sleeping?.wakeThread()
        if needsPool { ThreadPool.shared.run { self.runInPool() } }
    }

    // MARK: The connection's thread

    /// The number of a new connection, greater than those before.
    func nextNumber() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// Runs the jobs on the thread of `live` from now on, unless a newer connection has a thread already.
    func attach(_ live: LiveConnection, number: Int) {
        state.withLock { state in
            guard number > state.number else { return }
            state.number = number
            state.live = live
            state.isWaiting = false
        }
    }

    /// Called by the thread of `live` at its end.
    func detach(_ live: LiveConnection) {
        let needsPool = state.withLock { state in
            if state.live === live { state.live = nil }
            return state.needsPool()
        }
        if needsPool { ThreadPool.shared.run { self.runInPool() } }
    }

    /// Called by the thread of `live` before it waits.
    ///
    /// - Returns: false if it must not wait, because there are jobs.
    func willWait(_ live: LiveConnection) -> Bool {
        state.withLock { state in
            guard state.live === live else { return true }
            state.isWaiting = state.jobs.isEmpty
            return state.isWaiting
        }
    }

    /// Called by the thread of `live` after it has waited, so that it is not woken for the jobs that it adds itself.
    func hasWaited(_ live: LiveConnection) {
        state.withLock { state in
            if state.live === live { state.isWaiting = false }
        }
    }

    /// Takes the jobs that the thread of `live` is to run. Those that are added meanwhile run after its next look at
    /// the socket, so that tasks that never wait for the connection do not keep it from reading.
    func takeJobs(_ live: LiveConnection) -> [UnownedJob] {
        state.withLock { state in
            guard state.live === live else { return [] }
            return state.jobs.isEmpty ? [] : exchange(&state.jobs, with: [])
        }
    }

    func run(_ jobs: [UnownedJob]) {
        for job in jobs {
            #if DEBUG
            if watch.jobBegins() { watch.start() }
            defer { watch.jobEnds() }
            #endif
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    // MARK: Without a connection

    private func runInPool() {
        while true {
            let jobs = state.withLock { state -> [UnownedJob] in
                guard state.live == nil, !state.jobs.isEmpty else {
                    state.isInPool = false
                    return []
                }
                return exchange(&state.jobs, with: [])
            }
            if jobs.isEmpty { return }
            for (index, job) in jobs.enumerated() {
                job.runSynchronously(on: asUnownedTaskExecutor())
                if leaveToThread(jobs[(index + 1)...]) { return }
            }
        }
    }

    /// Returns the jobs that have not run to a connection's thread, if there is one now.
    private func leaveToThread(_ rest: ArraySlice<UnownedJob>) -> Bool {
        let live = state.withLock { state -> LiveConnection? in
            guard let live = state.live else { return nil }
            state.jobs = rest + state.jobs
            state.isInPool = false
            state.isWaiting = false
            return live
        }
        live?.wakeThread()
        return live != nil
    }
}
