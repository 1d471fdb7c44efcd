import Dispatch
import Glibc
import PasteboardClient
import PasteboardTransport
package import Testing

/// The ring of a suite. It limits how many tests of all suites of the ring run at once.
///
/// A test waits for a turn of its ring and keeps it until its body has ended. The turn starts its time limit
/// (`TestLimit`).
package struct Ring: SuiteTrait, TestTrait, TestScoping {
    fileprivate let turns: Turns
    /// Whether the bodies run on threads apart from those of Swift's concurrency, so that a test that computes or
    /// blocks takes no thread from the tasks that other tests wait for.
    fileprivate let isApart: Bool

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await turns.begin()
        defer { turns.end() }
        let limit = TestLimit("\(test.sourceLocation.fileID) \(test.name)")
        // Swift Testing does not notice the end of an exit test while this process has another child that has ended.
        defer { BrokerStart.reap() }
        defer { limit.end() }
        guard isApart else { return try await function() }
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await function() }
    }
}

extension Trait where Self == Ring {
    /// Tests of values and of single threads.
    package static var pure: Self { Self(turns: turnsOfRings.pure, isApart: true) }

    /// Tests that wait for tasks and threads of their own process. With hundreds at once, the machine's load would look
    /// like a silent program. They run as tasks of a program do: the library knows whether a task has an executor of
    /// its own.
    package static var inProcess: Self { Self(turns: turnsOfRings.inProcess, isApart: false) }

    /// Tests that wait for other processes. Each has a broker and a directory of its own.
    package static var processes: Self { Self(turns: turnsOfRings.processes, isApart: true) }
}

private let turnsOfRings = (pure: Turns(2), inProcess: Turns(8), processes: Turns(2))

/// Turns that a limited number of tests have at once, in the order in which they ask.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Lock<State>

    init(_ count: Int) {
        state = Lock(State(free: count))
    }

    func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func end() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

/// The threads of the tests' bodies.
private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // A serial queue always gets a thread, however many others block; Dispatch keeps threads that have ended their
        // work.
        DispatchQueue(label: "test").async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
