import PasteboardTransport

/// An event that happens once, and that any number of tasks wait for.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    package init() {}

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func open() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isOpen = true
            let waiters = state.waiters
            state.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state -> Bool in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A count that several threads increment.
package final class Counter: Sendable {
    private let state = Lock(0)

    package init() {}

    package var value: Int { state.withLock { $0 } }

    @discardableResult
    package func increment() -> Int {
        state.withLock { value in
            value += 1
            return value
        }
    }
}
