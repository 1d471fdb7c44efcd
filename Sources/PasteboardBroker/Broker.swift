import BrokerLoop
import BrokerState
import PasteboardTransport
import PasteboardWire

/// A broker that runs inside a program, on its own thread. It does the same as `pasteboardd`.
///
///     let broker = try Broker(socketPath: "/run/example/pasteboard/socket")
///     try await broker.run()
public final class Broker: Sendable {
    /// The absolute path of the socket.
    public let socketPath: String

    private let server: Lock<BrokerServer?>
    private let stop: StopSource

    /// Opens the socket. Programs can connect from now on. The broker serves them after ``run()`` is called.
    ///
    /// Before ``run()`` returns, it removes the socket and its lock file, and leaves the directory, which may be
    /// mounted into a container. Releasing a broker that was never run does the same.
    ///
    /// The limits `connections`, `kept-representations` and `passed-descriptors` are lowered if this process may not
    /// open enough descriptors.
    ///
    /// - Parameters:
    ///   - socketPath: an absolute path in a directory that belongs to this user and that no other user may enter. The
    ///     directory is created if it is missing; its parents are not. nil: the user's well-known socket.
    ///   - limits: the limits. Of a limit that all programs share, such as ``Limits/boardCount`` or
    ///     ``Limits/keptPoolBytes``, one program gets a share: about half if no other program needs some.
    ///   - log: a closure that receives log lines for an administrator. It is called on the broker's thread.
    /// - Throws: `alreadyRunning` if another broker uses the socket, `invalidArgument` if the path is not absolute or a
    ///   limit is invalid, and `unavailable` if the socket cannot be opened.
    public init(
        socketPath: String? = nil,
        limits: Limits = Limits(),
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(BrokerError) {
        if let socketPath, !socketPath.hasPrefix("/") {
            throw BrokerError(
                .invalidArgument,
                "the broker's socketPath is '\(socketPath)'; it has to be an absolute path"
            )
        }
        try limits.check()
        do {
            let path =
                try socketPath.map { SocketPath($0, isWellKnown: false) }
                ?? SocketPath.wellKnown(environment: System.environment)
            var server = try BrokerServer(limits: limits.values, log: log)
            let stop = try StopSource()
            try server.add(stop)
            try server.listen(at: ClaimedSocket(claiming: path))
            self.socketPath = path.path
            self.stop = stop
            self.server = Lock(server)
        } catch let error as SocketPathError {
            if case .held = error { throw BrokerError(.alreadyRunning, error.failure.text) }
            throw BrokerError(.unavailable, error.failure.text)
        } catch {
            throw BrokerError(.unavailable, (error as? Failure)?.text ?? "\(error)")
        }
    }

    /// Serves until the task is cancelled, the socket is removed, a client stops the broker, or the limit `idle-exit`
    /// is reached. Then the broker accepts no more connections, waits until loads whose bytes have begun to arrive have
    /// finished, by default for at most 5 s (limit `drain`), and returns. It can be called only once.
    ///
    /// - Throws: `unavailable` if a system call fails, `invalidArgument` if `run()` is called again.
    public func run() async throws(BrokerError) {
        let end: Result<Void, BrokerError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try SystemThread(name: "pasteboard-broker") {
                        continuation.resume(returning: self.serve())
                    }.detach()
                } catch {
                    continuation.resume(returning: .failure(BrokerError(.unavailable, "\(error)")))
                }
            }
        } onCancel: {
            stop.signal()
        }
        try end.get()
    }

    private func serve() -> Result<Void, BrokerError> {
        guard var server = server.withLock({ $0.take() }) else {
            return .failure(
                BrokerError(.invalidArgument, "run() was called again: a broker runs once; create another")
            )
        }
        do {
            try server.run()
            return .success(())
        } catch {
            return .failure(BrokerError(.unavailable, "the broker at \(socketPath) failed: \(error.text)"))
        }
    }

    /// Ends the broker as if its process were killed: connections are lost without an `error` frame, and
    /// ``run()`` returns.
    func crash() {
        stop.crash()
    }
}
