import PasteboardTransport

/// The task that runs a handler. It may be cancelled before the thread that makes it has received it.
package final class HandlerTask: Sendable {
    private enum State {
        case made(isCancelled: Bool)
        case known(Task<Void, Never>)
    }

    private let state = Lock(State.made(isCancelled: false))

    package init() {}

    package func adopt(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            defer { state = .known(task) }
            if case .made(true) = state { return true }
            return false
        }
        if isCancelled { task.cancel() }
    }

    package func cancel() {
        let task = state.withLock { state -> Task<Void, Never>? in
            if case .known(let task) = state { return task }
            state = .made(isCancelled: true)
            return nil
        }
        task?.cancel()
    }
}
