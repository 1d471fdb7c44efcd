/// When a load has to be over, by its caller's word.
struct LoadDeadline: Sendable {
    private let instant: ContinuousClock.Instant
    private let timeout: Duration

    init?(_ timeout: Duration?) {
        guard let timeout else { return nil }
        self.timeout = timeout
        instant = .now + timeout
    }

    var error: PasteboardError {
        PasteboardError(.timeout, message: "the load did not end within \(timeout)")
    }

    /// Calls `fire` when the time has come.
    func timer(_ fire: @escaping @Sendable () -> Void) -> LoadTimer {
        LoadTimer { [instant] in
            guard (try? await Task.sleep(until: instant)) != nil else { return }
            fire()
        }
    }
}

/// Something that waits for a time, until it is cancelled.
struct LoadTimer: Sendable {
    private let task: Task<Void, Never>

    init(_ body: @escaping @Sendable () async -> Void) {
        task = Task { await body() }
    }

    func cancel() {
        task.cancel()
    }
}
