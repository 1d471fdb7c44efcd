import PasteboardTransport

/// The open ``DropDestination/events`` streams of a destination.
final class DropEventListeners: Sendable {
    private typealias Continuation = AsyncStream<DropDestination.Event>.Continuation

    /// The number of unread events that a stream keeps.
    private static let unread = 256

    private struct State {
        var continuations: [Int: Continuation] = [:]
        var next = 0
        /// The number of runs under way. A second run is refused, and its end must not end the streams of the first.
        var runs = 0
    }

    private let state = Lock(State())

    func stream() -> AsyncStream<DropDestination.Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.unread)) { continuation in
            let id = state.withLock { state in
                state.next += 1
                state.continuations[state.next] = continuation
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
            }
        }
    }

    func tell(_ event: DropDestination.Event) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    func begin() {
        state.withLock { $0.runs += 1 }
    }

    func end() {
        let continuations = state.withLock { state -> [Continuation] in
            state.runs -= 1
            guard state.runs == 0 else { return [] }
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
