import Glibc

/// Closes descriptors on separate threads, because closing one may take long.
///
/// The last close of a file on a FUSE or network mount that does not answer may block forever, and that of a large
/// memory file releases its pages one by one. An event loop has no time for either. A close that is stuck occupies one
/// thread and does not delay the descriptors after it: a thread that takes one of several first wakes another, up to
/// four. Threads start when they are needed, and close the remaining descriptors after the closer has been released.
package final class DescriptorCloser: Sendable {
    private let queue: Queue

    package init() {
        queue = Queue { Glibc.close($0) }
    }

    /// Creates a closer for tests. `close` replaces the system's function, and may block.
    init(close: @escaping @Sendable (CInt) -> Void) {
        queue = Queue(close: close)
    }

    deinit {
        queue.finish()
    }

    /// The number of descriptors that are not closed yet, including those that a thread is closing. It grows if they
    /// are on a mount that does not answer.
    package var waitingCount: Int { queue.count }

    func close(_ descriptor: consuming OwnedDescriptor) {
        queue.add(.number(descriptor.release()))
    }

    /// Releases a reference to a descriptor. If it is the last, the descriptor is closed on a thread.
    package func release(_ descriptor: DescriptorBox) {
        queue.add(.share(descriptor))
    }

    /// Overwrites a file with zeros on a thread, and then releases the reference.
    package func wipe(_ file: MemoryFile) {
        queue.add(.secret(file))
    }

    private enum Entry: Sendable {
        case number(CInt)
        case share(DescriptorBox)
        case secret(MemoryFile)
    }

    // Separate from the closer, so that the threads do not keep the closer alive.
    private final class Queue: Sendable {
        /// The time in milliseconds for which descriptors are collected, because waking a thread costs more than
        /// closing one.
        private static let collecting = 5
        /// The number of descriptors at which collecting ends early.
        private static let most = 64
        private static let mostThreads = 4

        private struct State {
            var waiting: [Entry] = []
            var threads = 0
            /// The number of threads that are closing a descriptor.
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

        /// Wakes a thread, or starts one if all existing ones may be stuck.
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
                // The descriptors stay open until a thread can be started.
                state.withLock { $0.threads -= 1 }
            }
        }

        private func run() {
            while true {
                wake.wait()
                if !(state.withLock { $0.isFinished }) { _ = wake.wait(milliseconds: Self.collecting) }
                while let (entry, hasMore) = take() {
                    if hasMore { wakeOne() }
                    switch entry {
                    case .number(let number): close(number)
                    case .share: break
                    case .secret(let file): try? file.wipe()
                    }
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
