import PasteboardTransport

extension BrokerConnection {
    /// Runs code of the program, and waits for its outcome, as `BrokerStream.performing` does: this throws at once if
    /// the connection ends.
    ///
    /// - Parameter deadline: the time at which it fails with `timeout` (see `MonotonicClock`).
    package func performing<Value: Sendable>(
        until deadline: UInt64,
        on executor: any TaskExecutor,
        _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let place = BrokerStream(
            change { core in
                let slot = core.place()
                core.streams.limit(slot, to: deadline)
                return slot
            },
            of: self
        )
        return try await place.performing(on: executor, make)
    }
}

extension BrokerStream {
    /// Runs code of the program, and waits for its outcome. If the stream ends, its time is over or the task is
    /// cancelled, this throws at once, because code cannot be made to return.
    package func performing<Value: Sendable>(
        on executor: any TaskExecutor,
        _ make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = CancellableTask()
        defer { task.cancel() }
        return try await outcome { end in
            task.adopt(
                Task(executorPreference: executor) {
                    do { end(.success(try await make())) } catch { end(.failure(error)) }
                }
            )
        }
    }

    /// Calls `start`, and waits for the outcome that it passes to its argument, likewise.
    package func outcome<Value: Sendable>(
        _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws -> Value {
        let outcome = Outcome<Value>()
        start { [shared] result in
            outcome.end(result)
            shared.nudge()
        }
        while true {
            // First: the code may have failed with the connection, whose failure says more.
            try check(.uncommitted)
            if let value = try outcome.take() { return value }
            await wait(for: .event)
        }
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, any Error>?>(nil)

    func end(_ result: Result<Value, any Error>) { self.result.withLock { $0 = result } }

    func take() throws -> Value? { try result.withLock { $0.take() }?.get() }
}
