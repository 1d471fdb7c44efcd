import PasteboardTransport

/// A pool of threads that may block.
///
/// Handlers read files and wait for locks. They run neither on a connection's thread, where a blocked handler would
/// stop the bytes of all loads, nor on the threads of Swift's tasks, of which there are only as many as cores. A thread
/// is started when there is work and no thread is idle, up to a maximum, and ends after some time without work. There
/// are several pools, so that blocked work of one kind, for example on a dead file system or in a program's code, does
/// not stop the work that could end it.
package final class ThreadPool: TaskExecutor {
    /// The pool for the handlers of programs. It is large: a handler may wait for loads of its own, which need other
    /// threads.
    package static let shared = ThreadPool(maximumThreads: 512)
    /// The pool on which programs are notified of results and cancellation.
    package static let completions = ThreadPool(maximumThreads: 128)
    /// The pool for calls for which another thread waits. Nothing in them blocks.
    package static let calls = ThreadPool(maximumThreads: 8)
    /// The pool for reading and writing files. Files that other processes pass may be on any file system.
    static let files = ThreadPool(maximumThreads: 64)

    private let maximumThreads: Int
    private static let idleMilliseconds = 10_000
    private static let timeBetweenStarts = Duration.milliseconds(50)
    /// The stack size of a main thread, because the code of programs may be written for one.
    static let stackSize = 8 << 20

    private enum Work {
        case call(@Sendable () -> Void)
        case job(UnownedJob)
    }

    private struct State {
        var queue: [Work] = []
        var first = 0
        var threads = 0
        /// The number of waiting threads for which no signal is pending.
        var idle = 0
        /// Whether a thread was woken or started that has taken nothing yet. If work is left then, it gets the next one
        /// going. So many small pieces of work need few threads, and one that blocks delays no other.
        var isWaking = false
        /// Whether another attempt to start a thread will follow.
        var startsLater = false

        var isEmpty: Bool { first == queue.count }

        mutating func next() -> Work? {
            guard !isEmpty else { return nil }
            let work = queue[first]
            first += 1
            // Finished work is removed many at a time, so that the cost of taking does not depend on the queue's
            // length.
            if isEmpty || first >= 64 {
                queue.removeFirst(first)
                first = 0
            }
            return work
        }

        /// The way to get another thread for work that waits.
        mutating func more(of maximum: Int) -> Step {
            guard !isEmpty, !isWaking else { return .none }
            if idle > 0 {
                (idle, isWaking) = (idle - 1, true)
                return .wake
            }
            guard threads < maximum, !startsLater else { return .none }
            (threads, isWaking) = (threads + 1, true)
            return .start
        }
    }

    private enum Step {
        case wake
        case start
        case none
    }

    private let state = Lock(State())
    private let signal = Semaphore()

    private init(maximumThreads: Int) {
        self.maximumThreads = maximumThreads
    }

    /// Runs `body` soon, on one of the threads.
    package func run(_ body: @escaping @Sendable () -> Void) {
        add(.call(body))
    }

    /// Runs a part of a task that prefers this executor.
    package func enqueue(_ job: consuming ExecutorJob) {
        add(.job(UnownedJob(job)))
    }

    private func add(_ work: Work) {
        let step = state.withLock { state in
            state.queue.append(work)
            return state.more(of: maximumThreads)
        }
        take(step)
    }

    private func take(_ step: Step) {
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
            // The other threads continue with the queue, but they may all be blocked, or there may be none.
            let (step, isFirst) = state.withLock { state in
                (state.threads, state.isWaking) = (state.threads - 1, false)
                let isFirst = !exchange(&state.startsLater, with: true)
                return (state.more(of: maximumThreads), isFirst)
            }
            take(step)
            if isFirst { startLater() }
        }
    }

    /// Tries again after a while, if there still is work: the system may have a thread for it then.
    private func startLater() {
        Task.detached {
            try? await Task.sleep(for: Self.timeBetweenStarts)
            let starts = self.state.withLock { state in
                state.startsLater = false
                return state.more(of: self.maximumThreads)
            }
            if case .none = starts { return }
            self.take(starts)
            // One thread may not be enough if its work waits for that of the others.
            let isEnough = self.state.withLock { state in
                state.isEmpty || state.startsLater || exchange(&state.startsLater, with: true)
            }
            if !isEnough { self.startLater() }
        }
    }

    private func work() {
        var isWoken = true
        while true {
            let (work, step) = state.withLock { state in
                if isWoken { state.isWaking = false }
                let work = state.next()
                if work == nil { state.idle += 1 }
                return (work, state.more(of: maximumThreads))
            }
            take(step)
            isWoken = work == nil
            switch work {
            case .call(let body): body()
            case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case nil: if !waitForSignal() { return }
            }
        }
    }

    /// Waits for work. Returns false if the thread is to end.
    private func waitForSignal() -> Bool {
        if signal.wait(milliseconds: Self.idleMilliseconds) { return true }
        let ends = state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
        // No thread is idle, so a signal is pending for every waiting thread, including this one.
        if !ends { signal.wait() }
        return !ends
    }
}

extension DescriptorCloser {
    /// Closes descriptors that come from other processes or are passed to them. They may be on a dead mount, and their
    /// last owner may be a connection's thread.
    static let shared = DescriptorCloser()
}
