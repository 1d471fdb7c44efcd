import PasteboardTransport

/// A queue of events for one reader. A writer appends events under the lock that determines their order, and wakes the
/// reader after it has released that lock.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Adds an event without resuming the reader.
    ///
    /// - Returns: false if the queue is finished, so that the event will not be read.
    @discardableResult
    func append(_ event: Event) -> Bool {
        state.withLock { state in
            if !state.isFinished { state.events.append(event) }
            return !state.isFinished
        }
    }

    /// Resumes the reader if it has an event to read or the queue is finished. It must not be called under a lock.
    func wake() {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.isFinished || !state.events.isEmpty else { return nil }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Finishes the queue: no event is accepted after this. `discarding` drops the unread events, too.
    func finish(discarding: Bool = false) {
        let discarded = state.withLock { state -> [Event] in
            state.isFinished = true
            guard discarding else { return [] }
            return exchange(&state.events, with: [])
        }
        wake()
        withExtendedLifetime(discarded) {}
    }

    /// Returns the next event. Returns nil if the queue is finished and empty, or if the task is cancelled.
    func next() async -> Event? {
        while !Task.isCancelled {
            let (event, isOver) = state.withLock { state -> (Event?, Bool) in
                guard !state.events.isEmpty else { return (nil, state.isFinished) }
                return (state.events.removeFirst(), false)
            }
            if event != nil || isOver { return event }
            await change()
        }
        return nil
    }

    private func change(isolation: isolated (any Actor)? = #isolation) async {
        await withTaskCancellationHandler {
            _ = isolation
            await withCheckedContinuation { reader in
                let isReady = state.withLock { state -> Bool in
                    // A cancellation before this check is seen here; a later one finds the reader.
                    guard state.events.isEmpty, !state.isFinished, !Task.isCancelled else { return true }
                    state.reader = reader
                    return false
                }
                if isReady { reader.resume() }
            }
        } onCancel: {
            let reader = state.withLock { $0.reader.take() }
            reader?.resume()
        }
    }
}
