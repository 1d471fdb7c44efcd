public import PasteboardKit
import PasteboardTransport

/// A broker for a test, with its own socket in a new directory. See <doc:TestingYourProgram>.
public final class TemporaryBroker: Sendable {
    private struct State {
        var broker: Broker?
        var serving: Task<Void, any Error>?
        var connections: [Weak] = []
    }

    /// A connection that the program may release.
    private struct Weak: Sendable {
        weak var connection: PasteboardConnection?
    }

    /// The path of the socket: the value of `PASTEBOARD_SOCKET` for other processes of the test.
    ///
    /// Its directory is in `$TMPDIR`, or if that path would be too long for a socket, in `$XDG_RUNTIME_DIR` or `/tmp`.
    public let socketPath: String
    private let limits: Broker.Limits
    private let lines = Lock<[String]>([])
    private let state = Lock(State())

    init(_ limits: Broker.Limits) throws(BrokerError) {
        self.limits = limits
        let digits: String
        do throws(SystemError) {
            digits = try System.randomBytes(8).map { String($0, radix: 16) }.joined()
        } catch {
            throw BrokerError(.unavailable, "cannot name a directory for a broker: \(error)")
        }
        socketPath = SocketPath.temporary("pasteboard-\(digits)").path
        try start()
    }

    /// The lines that the broker has logged, of all its runs.
    public var log: [String] { lines.withLock(\.self) }

    /// Makes a connection to the broker. Each connection behaves like a separate program, except that all belong to one
    /// process. It starts no broker, and connects again after ``restart()``.
    ///
    /// - Parameter groups: the tokens of the groups that the program belongs to.
    public func connect(groups: [String] = []) -> PasteboardConnection {
        let connection = PasteboardConnection(socketPath: socketPath, startsBroker: false, groups: groups)
        state.withLock { state in
            state.connections.removeAll { $0.connection == nil }
            state.connections.append(Weak(connection: connection))
        }
        return connection
    }

    /// Ends the broker normally, if it runs, and starts the next one at the same socket, as a service manager does.
    /// Kept contents are lost, and programs write their promises again.
    ///
    /// - Throws: ``BrokerError`` if the broker cannot be ended or started.
    public func restart() async throws(BrokerError) {
        try await stop { $1.cancel() }
        try start()
    }

    /// Ends the broker in nearly the same way as a kill of its process: connections are lost without an `error` frame,
    /// and kept contents are lost. ``restart()`` starts the next one.
    ///
    /// Two things differ from a user's broker that is killed. The socket and its lock file are removed, as at a normal
    /// end. And nothing is saved, so that the next broker does not know that it follows another one: its `contents()`
    /// does not wait until the sources have connected again.
    ///
    /// - Throws: ``BrokerError`` if the broker had failed before.
    public func crash() async throws(BrokerError) {
        try await stop { broker, _ in broker.crash() }
    }

    /// Ends the broker, closes all connections, and removes the directory.
    func end() async throws(BrokerError) {
        for connection in state.withLock({ $0.connections.compactMap(\.connection) }) { await connection.close() }
        try await stop { $1.cancel() }
        try? System.removeDirectory(System.directory(of: socketPath))
    }

    private func start() throws(BrokerError) {
        let broker = try Broker(socketPath: socketPath, limits: limits) { [weak self] line in
            self?.lines.withLock { $0.append(line) }
        }
        let serving = Task { try await broker.run() }
        state.withLock { state in
            state.broker = broker
            state.serving = serving
        }
    }

    private func stop(_ end: (Broker, Task<Void, any Error>) -> Void) async throws(BrokerError) {
        let (broker, serving) = state.withLock { state in
            defer { (state.broker, state.serving) = (nil, nil) }
            return (state.broker, state.serving)
        }
        guard let broker, let serving else { return }
        end(broker, serving)
        do {
            try await serving.value
        } catch {
            throw error as? BrokerError ?? BrokerError(.unavailable, "\(error)")
        }
    }
}
