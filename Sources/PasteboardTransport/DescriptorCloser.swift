import Glibc

/// A thread that closes descriptors whose closing may take long.
///
/// The last close of a file on a dead FUSE or network mount may wait for ever, that of a large memory file gives back
/// its pages one by one, and an event loop has no time for either. The thread starts with the first descriptor; what
/// still waits when the closer goes is left to it.
package final class DescriptorCloser: Sendable {
    private let queue = Queue()

    package init() {}

    deinit {
        queue.finish()
    }

    /// How many wait to be closed. More and more do where one is on a mount that does not answer.
    package var waitingCount: Int { queue.count }

    func close(_ descriptor: consuming OwnedDescriptor) {
        queue.add(.number(descriptor.release()))
    }

    /// Gives up a share of a descriptor; if it is the last, it is closed on the thread.
    package func release(_ descriptor: DescriptorBox) {
        queue.add(.share(descriptor))
    }

    private enum Entry: Sendable {
        case number(CInt)
        case share(DescriptorBox)
    }

    // Apart from the closer, so that the thread does not keep the closer alive.
    private final class Queue: Sendable {
        /// To wake a thread costs more than to pass a descriptor on, so those of a few milliseconds are closed together.
        private static let collecting = 5
        /// So many are not kept open for that.
        private static let most = 64

        private struct State {
            var waiting: [Entry] = []
            var isStarted = false
            var isFinished = false
        }

        private let wake = Semaphore()
        private let state = Lock(State())

        var count: Int { state.withLock { $0.waiting.count } }

        func add(_ entry: Entry) {
            let (starts, wakes) = state.withLock { state in
                state.waiting.append(entry)
                defer { state.isStarted = true }
                return (!state.isStarted, state.waiting.count == 1 || state.waiting.count == Self.most)
            }
            if starts { start() }
            if wakes { wake.signal() }
        }

        func finish() {
            state.withLock { $0.isFinished = true }
            wake.signal()
        }

        private func start() {
            do {
                try SystemThread(name: "pb-close") { self.run() }.detach()
            } catch {
                // No thread now: what waits stays open until one can be had.
                state.withLock { $0.isStarted = false }
            }
        }

        private func run() {
            while true {
                wake.wait()
                if !(state.withLock { $0.isFinished }) { _ = wake.wait(milliseconds: Self.collecting) }
                let (waiting, isFinished) = state.withLock { state in
                    let waiting = state.waiting
                    state.waiting = []
                    return (waiting, state.isFinished)
                }
                for case .number(let number) in waiting { _ = OwnedDescriptor(adopting: number) }
                if isFinished { return }
            }
        }
    }
}
