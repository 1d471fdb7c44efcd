import Glibc

/// A thread that closes other processes' descriptors.
///
/// The last close of a file on a dead FUSE or network mount may wait for ever, and an event loop must not. One closer
/// serves a loop; what still waits when it goes is left to its thread.
package final class DescriptorCloser: Sendable {
    private let queue: Queue

    package init() throws(SystemError) {
        let queue = Queue(wake: try EventDescriptor())
        self.queue = queue
        try SystemThread(name: "pb-close") { queue.run() }.detach()
    }

    deinit {
        queue.finish()
    }

    func close(_ descriptor: consuming OwnedDescriptor) {
        queue.add(descriptor.release())
    }

    // Apart from the closer, so that the thread does not keep the closer alive.
    private final class Queue: Sendable {
        private let wake: EventDescriptor
        private let state = Lock<(waiting: [CInt], isFinished: Bool)>((waiting: [], isFinished: false))

        init(wake: consuming EventDescriptor) {
            self.wake = wake
        }

        func add(_ descriptor: CInt) {
            state.withLock { $0.waiting.append(descriptor) }
            wake.signal()
        }

        func finish() {
            state.withLock { $0.isFinished = true }
            wake.signal()
        }

        func run() {
            while true {
                // It fails only for want of kernel memory; then the next turn waits.
                _ = try? System.poll([PollInterest(wake.raw, .readable)], milliseconds: nil)
                wake.drain()
                let (waiting, isFinished) = state.withLock { state in
                    let taken = state
                    state.waiting = []
                    return taken
                }
                for descriptor in waiting { _ = OwnedDescriptor(adopting: descriptor) }
                if isFinished { return }
            }
        }
    }
}
