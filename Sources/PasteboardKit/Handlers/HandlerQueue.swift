import PasteboardClient
import PasteboardTransport

/// Runs the handlers that are called.
///
/// A small handler takes less time than making a task. So a task runs one handler after the other as long as some wait.
/// A handler may also wait for long, or block its thread. Therefore another task is always about to start while
/// handlers wait, and takes the next one.
final class HandlerQueue: Sendable {
    private struct State {
        /// A run that was taken leaves nil, so that it and what its handler refers to are not released here.
        var waiting: [HandlerRun?] = []
        /// The index of the next run in `waiting`.
        var first = 0
        /// Whether a task was made that has not begun yet. It is always true while runs wait.
        var isTaskStarting = false

        /// Takes the next run.
        mutating func next() -> Step {
            guard first < waiting.count else { return Step() }
            let run = exchange(&waiting[first], with: nil)
            first += 1
            // Removed many at a time, so that the cost of taking one does not depend on the number that wait.
            if first == waiting.count || first >= 64 {
                waiting.removeFirst(first)
                first = 0
            }
            return Step(run: run, needsTask: needsTask())
        }

        /// Whether a task has to be made for the runs that wait.
        mutating func needsTask() -> Bool {
            guard first < waiting.count else { return false }
            return !exchange(&isTaskStarting, with: true)
        }
    }

    /// The next actions of a task.
    private struct Step {
        /// The handler to be run. If it is nil, the task ends.
        var run: HandlerRun?
        /// Whether another task has to be made before.
        var needsTask = false
    }

    static let shared = HandlerQueue()

    private let state = Lock(State())

    /// Adds the run of a handler. They start in the order of the calls.
    func add(_ run: HandlerRun) {
        let needsTask = state.withLock { state in
            state.waiting.append(run)
            return state.needsTask()
        }
        if needsTask { makeTask() }
    }

    private func makeTask() {
        let task = CancellableTask()
        // Detached, so that it does not inherit from the task of the handler that happened to run before.
        task.adopt(Task.detached(executorPreference: ThreadPool.shared) { await self.work(in: task) })
    }

    private func work(in task: CancellableTask) async {
        var step = state.withLock { state in
            state.isTaskStarting = false
            return state.next()
        }
        while true {
            if step.needsTask { makeTask() }
            guard let run = step.run else { return }
            // A cancelled task runs no other handler. If some wait, another task is about to start.
            guard await run.run(in: task) else { return }
            // A handler may have cancelled its own task, which must not affect the next one.
            let isCancelled = Task.isCancelled
            step = state.withLock { isCancelled ? Step(needsTask: $0.needsTask()) : $0.next() }
        }
    }
}
