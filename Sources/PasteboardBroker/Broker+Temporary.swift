public import PasteboardKit
import PasteboardTransport

extension Broker {
    /// Runs a closure with a temporary broker, which ends after the closure. It is intended for tests.
    ///
    ///     try await Broker.withTemporary { connection in
    ///         let pasteboard = Pasteboard(name: .general, connection: connection)
    ///         try await pasteboard.write("hello")
    ///         #expect(try await pasteboard.load(String.self) == "hello")
    ///     }
    ///
    /// The socket is in a new directory in `$TMPDIR`. When `body` returns or throws, the connection is closed, the
    /// broker ends and the directory is removed. Other connections to the broker are closed.
    ///
    /// - Parameters:
    ///   - limits: the broker's limits, as for ``init(socketPath:limits:log:)``.
    ///   - body: a closure that receives a connection to the broker. It runs on the caller's actor.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; ``BrokerError`` if the broker cannot be started.
    public static func withTemporary<Value>(
        limits: [String: String] = [:],
        _ body: (PasteboardConnection) async throws -> Value
    ) async throws -> Value {
        let socket: String
        do throws(SystemError) {
            let digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
            socket = "\(System.temporaryDirectory)/pasteboard-\(digits)/socket"
        } catch {
            throw BrokerError(message: "cannot name a directory for a broker: \(error)")
        }
        let broker = try Broker(socketPath: socket, limits: limits)
        let serving = Task { try await broker.run() }
        let connection = PasteboardConnection(socketPath: socket, startsBroker: false)
        do {
            let value = try await body(connection)
            try await end(serving, connection)
            return value
        } catch {
            try? await end(serving, connection)
            throw error
        }
    }

    private static func end(_ serving: Task<Void, any Error>, _ connection: PasteboardConnection) async throws {
        await connection.close()
        serving.cancel()
        try await serving.value
    }
}
