extension Broker {
    /// Runs a closure with a temporary broker, which ends after the closure. It is intended for tests.
    ///
    ///     try await Broker.withTemporary { broker in
    ///         let source = Pasteboard(name: .general, connection: broker.connect())
    ///         let destination = Pasteboard(name: .general, connection: broker.connect())
    ///         try await source.write("hello")
    ///         #expect(try await destination.load(String.self) == "hello")
    ///     }
    ///
    /// When `body` returns or throws, the broker ends, the connections that it has made are closed, and the directory
    /// of its socket is removed. See <doc:TestingYourProgram>.
    ///
    /// - Parameters:
    ///   - limits: the broker's limits, as for ``init(socketPath:limits:log:)``.
    ///   - body: a closure that receives the broker. It runs on the caller's actor.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; ``BrokerError`` if the broker cannot be started or served.
    public static func withTemporary<Value>(
        limits: Limits = Limits(),
        _ body: (TemporaryBroker) async throws -> Value
    ) async throws -> Value {
        let broker = try TemporaryBroker(limits)
        do {
            let value = try await body(broker)
            try await broker.end()
            return value
        } catch {
            try? await broker.end()
            throw error
        }
    }
}
