import Glibc

/// Threads that close descriptors whose closing may take long.
///
/// The last close of a file on a dead FUSE or network mount may wait for ever, that of a large memory file gives back
/// its pages one by one, and an event loop has no time for either. A close that is stuck keeps one thread and not what
/// waits behind it: whoever takes one of several has another thread stand by first, up to four. Threads start when they
/// are needed; what still waits when the closer goes is left to them.
package final class DescriptorCloser: Sendable {
    private let queue: Queue

    package init() {
        queue = Queue { Glibc.close($0) }
    }

    /// For tests: `close` stands for the system's, and may wait.
    init(close: @escaping @Sendable (CInt) -> Void) {
        queue = Queue(close: close)
    }

    deinit {
        queue.finish()
    }

    /// How many are not closed yet, those that a thread is closing included. More and more where they are on a mount
    /// that does not answer.
    package var waitingCount: Int { queue.count }

    func close(_ descriptor: consuming OwnedDescriptor) {
        queue.add(.number(descriptor.release()))
    }

    /// Gives up a share of a descriptor; if it is the last, it is closed on a thread.
    package func release(_ descriptor: DescriptorBox) {
        queue.add(.share(descriptor))
    }

    private enum Entry: Sendable {
        case number(CInt)
        case share(DescriptorBox)
    }

    // Apart from the closer, so that the threads do not keep the closer alive.
    private final class Queue: Sendable {
        /// To wake a thread costs more than to pass a descriptor on, so those of a few milliseconds are closed together.
        private static let collecting = 5
        /// So many are not kept open for that.
        private static let most = 64
        private static let mostThreads = 4

        private struct State {
            var waiting: [Entry] = []
            var threads = 0
            /// Threads that are closing something.
            var busy = 0
            var isFinished = false
        }

        private let wake = Semaphore()
        private let state = Lock(State())
        private let close: @Sendable (CInt) -> Void

        init(close: @escaping @Sendable (CInt) -> Void) {
            self.close = close
        }

        var count: Int { state.withLock { $0.waiting.count + $0.busy } }

        func add(_ entry: Entry) {
            let wakes = state.withLock { state in
                state.waiting.append(entry)
                return state.waiting.count == 1 || state.waiting.count == Self.most || state.threads == 0
            }
            if wakes { wakeOne() }
        }

        func finish() {
            let threads = state.withLock { state in
                state.isFinished = true
                return state.threads
            }
            for _ in 0..<threads { wake.signal() }
        }

        /// Starts a thread where all that there are may be stuck.
        private func wakeOne() {
            let starts = state.withLock { state in
                guard state.busy == state.threads, state.threads < Self.mostThreads else { return false }
                state.threads += 1
                return true
            }
            if starts { start() }
            wake.signal()
        }

        private func start() {
            do {
                try SystemThread(name: "pb-close") { self.run() }.detach()
            } catch {
                // No thread now: what waits stays open until one can be had.
                state.withLock { $0.threads -= 1 }
            }
        }

        private func run() {
            while true {
                wake.wait()
                if !(state.withLock { $0.isFinished }) { _ = wake.wait(milliseconds: Self.collecting) }
                while let (entry, hasMore) = take() {
                    if hasMore { wakeOne() }
                    if case .number(let number) = entry { close(number) }
                    _ = consume entry
                    state.withLock { $0.busy -= 1 }
                }
                if state.withLock({ $0.isFinished }) { return }
            }
        }

        private func take() -> (entry: Entry, hasMore: Bool)? {
            state.withLock { state in
                guard let entry = state.waiting.popLast() else { return nil }
                state.busy += 1
                return (entry, !state.waiting.isEmpty)
            }
        }
    }
}
