import PasteboardTransport

/// When a handler of this process was last heard of, by a load of this process: it may be silent as long as a broker would
/// let it be.
final class HandlerWatch: Sendable {
    /// For the first byte, unless the registration says otherwise, and then for the next.
    static let firstByteTimeout = Duration.seconds(30)
    static let progressLimit = Duration.seconds(10)
    /// How long reports of progress may put that off.
    static let keepAlive = Duration.seconds(600)

    private struct State {
        var limit: Duration
        var byteAt = ContinuousClock.now
        var heardAt = ContinuousClock.now
        var hasReported = false

        var due: ContinuousClock.Instant { min(heardAt + limit, byteAt + max(HandlerWatch.keepAlive, limit)) }
    }

    private let type: UniformType
    private let state: Lock<State>

    init(_ type: UniformType, firstByteTimeout: Duration?) {
        self.type = type
        state = Lock(State(limit: min(firstByteTimeout ?? Self.firstByteTimeout, Self.keepAlive)))
    }

    func reported() {
        state.withLock { state in
            state.heardAt = .now
            state.hasReported = true
        }
    }

    /// Whether it tells itself how far it is, in units of its own.
    var hasReported: Bool { state.withLock { $0.hasReported } }

    /// It is waited for again: what it did not do while nobody took its bytes does not count.
    func resumed() {
        state.withLock { state in
            state.heardAt = .now
            state.byteAt = .now
        }
    }

    func gaveBytes() {
        state.withLock { state in
            state.limit = Self.progressLimit
            state.byteAt = .now
            state.heardAt = .now
        }
    }

    /// Calls `end` when it has been silent for too long.
    func timer(_ end: @escaping @Sendable (PasteboardError) -> Void) -> LoadTimer {
        LoadTimer {
            var due = self.state.withLock { $0.due }
            while due > .now {
                guard (try? await Task.sleep(until: due)) != nil else { return }
                due = self.state.withLock { $0.due }
            }
            let limit = self.state.withLock { $0.limit }
            let text = "the handler gave no byte of \(self.type.identifier) within \(limit)"
            end(PasteboardError(.sourceStalled, message: text))
        }
    }
}
