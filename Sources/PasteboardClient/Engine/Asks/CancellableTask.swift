import PasteboardTransport

/// A task that may be cancelled before `adopt` has stored it: then `adopt` cancels it.
package final class CancellableTask: Sendable {
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
