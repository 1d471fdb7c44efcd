import PasteboardTransport

/// Events in order, for one reader: they are put in under whatever lock orders them, and the reader is woken once that
/// is free.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var isFinished = false
        var reader: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Resumes nobody.
    ///
    /// - Returns: false if it is finished, and the event will not be read.
    @discardableResult
    func append(_ event: Event) -> Bool {
        state.withLock { state in
            if !state.isFinished { state.events.append(event) }
            return !state.isFinished
        }
    }

    /// Lets the reader go on if there is something for it. Not called under a lock.
    func wake() {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.isFinished || !state.events.isEmpty else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    /// Nothing comes behind what is there, and with `discarding` not that either.
    func finish(discarding: Bool = false) {
        let discarded = state.withLock { state -> [Event] in
            state.isFinished = true
            guard discarding else { return [] }
            defer { state.events = [] }
            return state.events
        }
        wake()
        withExtendedLifetime(discarded) {}
    }

    /// nil once it is finished and empty, and when the task is cancelled.
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

    private func change() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state -> Bool in
                    // A cancel before this is seen here, one after it finds the reader.
                    guard state.events.isEmpty, !state.isFinished, !Task.isCancelled else { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume()
        }
    }
}
