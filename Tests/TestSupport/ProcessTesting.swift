import Dispatch

/// Where tests run that wait for other processes, or that compute for long: a thread apart from those of Swift's
/// concurrency, which would else have none left for the tests that need them. One such test runs at a time.
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
        self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
