import PasteboardTransport
import PasteboardWire

/// The timeouts of a handler during a load within its own process: those that a broker applies by default.
final class HandlerWatch: Sendable {
    private static let keepAlive = Duration.milliseconds(LoadTimeouts.keepAlive)

    private struct State {
        /// The maximum time without bytes or reports, before the first byte or between two bytes.
        var limit: Duration
        var byteAt = ContinuousClock.now
        /// The time of the last byte or progress report.
        var activeAt = ContinuousClock.now
        var hasReported = false

        var due: ContinuousClock.Instant { min(activeAt + limit, byteAt + max(HandlerWatch.keepAlive, limit)) }
    }

    private let type: UniformType
    private let state: Lock<State>

    init(_ type: UniformType, firstByteTimeout: Duration?) {
        self.type = type
        let limit = firstByteTimeout ?? .milliseconds(LoadTimeouts.firstByte)
        state = Lock(State(limit: min(limit, Self.keepAlive)))
    }

    func reported() {
        state.withLock { state in
            state.activeAt = .now
            state.hasReported = true
        }
    }

    /// Whether the handler reports its own progress, in any unit.
    var hasReported: Bool { state.withLock { $0.hasReported } }

    /// Restarts the timeouts, because the consumer waits for the handler again. The time in which the consumer took no
    /// bytes does not count.
    func resumed() {
        state.withLock { state in
            state.activeAt = .now
            state.byteAt = .now
        }
    }

    func gaveBytes() {
        state.withLock { state in
            state.limit = .milliseconds(LoadTimeouts.progress)
            state.byteAt = .now
            state.activeAt = .now
        }
    }

    /// Calls `end` when a timeout has expired.
    func timer(_ end: @escaping @Sendable (PasteboardError) -> Void) -> Task<Void, Never> {
        Task {
            var due = self.state.withLock { $0.due }
            while due > .now {
                guard (try? await Task.sleep(until: due)) != nil else { return }
                due = self.state.withLock { $0.due }
            }
            let limit = self.state.withLock { $0.limit }
            let text = "the handler produced no byte of \(self.type.identifier) within \(limit)"
            end(PasteboardError(.sourceStalled, message: text))
        }
    }
}
