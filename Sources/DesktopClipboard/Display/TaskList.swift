import PasteboardClient
import PasteboardTransport

/// The transfers to programs of the desktop that run at once. Each is a task of its own, so that a slow program delays
/// no other one.
final class TaskList: Sendable {
    private struct State {
        var tasks: [UInt64: (client: UInt32?, task: Task<Void, Never>)] = [:]
        var ended: Set<UInt64> = []
        var isCancelled = false
    }

    private let loop: Loop
    private let state = Lock(State())

    init(on loop: Loop) {
        self.loop = loop
    }

    /// - Parameter client: the program that gets the bytes, where that is known. It may have half of the transfers.
    /// - Returns: false if too many run already.
    @discardableResult
    func start(for client: UInt32? = nil, _ body: @escaping @Sendable () async throws -> Void) -> Bool {
        let number = loop.nextNumber()
        let isFull = state.withLock { state in
            state.isCancelled || state.tasks.count >= DesktopTime.transfers
                || client != nil && state.tasks.values.count { $0.client == client } >= DesktopTime.transfers / 2
        }
        guard !isFull else { return false }
        let task = Task(executorPreference: loop) {
            // A failure is reported by the bytes that the program gets, and by a line about the event.
            try? await body()
            self.state.withLock { state in
                // It may end before it is stored.
                if state.tasks.removeValue(forKey: number) == nil { state.ended.insert(number) }
            }
        }
        let isCancelled = state.withLock { state in
            if state.ended.remove(number) == nil { state.tasks[number] = (client, task) }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        return true
    }

    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.tasks.values.map(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
