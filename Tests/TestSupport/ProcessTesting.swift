import Dispatch

/// The executor of tests that wait for other processes or compute for long. It is a thread apart from those of Swift's
/// concurrency, which otherwise would have none left for other tests. One such test runs at a time.
@globalActor
package actor ProcessTesting {
    package static let shared = ProcessTesting()

    private static let executor = QueueExecutor()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.executor.asUnownedSerialExecutor() }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "process tests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
