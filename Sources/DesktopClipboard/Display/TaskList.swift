import PasteboardClient
import PasteboardTransport

/// The transfers to programs of the desktop that run at once. Each is a task of its own, so that a slow program delays
/// no other one.
final class TaskList: Sendable {
    private struct State {
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var ended: Set<UInt64> = []
        var isCancelled = false
    }

    private let loop: Loop
    private let state = Lock(State())

    init(on loop: Loop) {
        self.loop = loop
    }

    /// - Returns: false if too many run already.
    @discardableResult
    func start(_ body: @escaping @Sendable () async throws -> Void) -> Bool {
        let number = loop.nextNumber()
        guard state.withLock({ !$0.isCancelled && $0.tasks.count < DesktopTime.transfers }) else { return false }
        let task = Task(executorPreference: loop) {
            // A failure is reported by the bytes that the program gets, and by a line about the event.
            try? await body()
            self.state.withLock { state in
                // It may end before it is stored.
                if state.tasks.removeValue(forKey: number) == nil { state.ended.insert(number) }
            }
        }
        let isCancelled = state.withLock { state in
            if state.ended.remove(number) == nil { state.tasks[number] = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return true
    }

    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.map(\.self)
        }
        for task in tasks { task.cancel() }
    }
}
