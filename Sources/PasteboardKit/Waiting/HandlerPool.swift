import PasteboardTransport

/// Threads that may block.
///
/// Handlers read files and wait for locks. So they run neither on a connection's thread, where one would stop everybody's
/// bytes, nor on the threads of Swift's tasks, of which there are as many as cores. Threads are made when there is work and
/// none is idle, up to a bound, and end after a while without work. There are several pools, so that work of one kind that
/// is stuck, on a dead file system or in a program's code, does not stop what could end it.
final class HandlerPool: TaskExecutor {
    /// Where the handlers of programs run. Many: one may wait for loads of its own, which need others.
    static let shared = HandlerPool(maximumThreads: 512)
    /// Where programs hear of results and of cancellation.
    static let completions = HandlerPool(maximumThreads: 128)
    /// Where files are read and written: those that others pass may be on anything.
    static let files = HandlerPool(maximumThreads: 64)
    /// Where the library connects.
    static let connections = HandlerPool(maximumThreads: 4)

    private let maximumThreads: Int
    private static let idleMilliseconds = 10_000
    /// As much as a main thread has: a handler does not know that it is not on one.
    private static let stackSize = 8 << 20

    private enum Work {
        case call(@Sendable () -> Void)
        case job(UnownedJob)
    }

    private struct State {
        var queue: [Work] = []
        var first = 0
        var threads = 0
        /// Waiting threads that no signal is meant for yet.
        var idle = 0

        var isEmpty: Bool { first == queue.count }

        mutating func next() -> Work? {
            guard !isEmpty else { return nil }
            let work = queue[first]
            first += 1
            // Finished work is removed many at a time, so that the cost of taking does not depend on the queue's length.
            if isEmpty || first >= 64 {
                queue.removeFirst(first)
                first = 0
            }
            return work
        }
    }

    private let state = Lock(State())
    private let signal = Semaphore()

    private init(maximumThreads: Int) {
        self.maximumThreads = maximumThreads
    }

    /// Runs `body` soon, on one of the threads.
    func run(_ body: @escaping @Sendable () -> Void) {
        add(.call(body))
    }

    /// Runs a part of a task that prefers this executor.
    func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    private func add(_ work: Work) {
        enum Step {
            case wake
            case start
            case none
        }
        let step = state.withLock { state -> Step in
            state.queue.append(work)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.threads < maximumThreads else { return .none }
            state.threads += 1
            return .start
        }
        switch step {
        case .wake: signal.signal()
        case .start: startThread()
        case .none: break
        }
    }

    private func startThread() {
        do {
            try SystemThread(name: "pasteboard-pool", stackSize: Self.stackSize) { self.work() }.detach()
        } catch {
            // The other threads continue with the queue. If there are none, the next call tries again.
            state.withLock { $0.threads -= 1 }
        }
    }

    private func work() {
        while true {
            let work = state.withLock { state -> Work? in
                let work = state.next()
                if work == nil { state.idle += 1 }
                return work
            }
            switch work {
            case .call(let body): body()
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case nil: if !waitForSignal() { return }
            }
        }
    }

    /// False when the thread is to end.
    private func waitForSignal() -> Bool {
        if signal.wait(milliseconds: Self.idleMilliseconds) { return true }
        let ends = state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
        // None is idle: every waiting thread has a signal to come, this one too.
        if !ends { signal.wait() }
        return !ends
    }
}

extension DescriptorCloser {
    /// Closes what comes from others and what is given to them: it may be on a dead mount, and its last owner a connection's
    /// thread.
    static let shared = DescriptorCloser()
}
