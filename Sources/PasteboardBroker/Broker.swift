import BrokerLoop
import BrokerState
import PasteboardTransport
import PasteboardWire

/// A broker inside a program: what `pasteboardd` does, on a thread of the program's.
///
///     let broker = try Broker(socketPath: "/run/example/pasteboard/socket")
///     try await broker.run()
public final class Broker: Sendable {
    /// The absolute path of the socket.
    public let socketPath: String

    private let loop: Lock<BrokerLoop?>
    private let stop: StopSource

    /// Opens the socket: from now on programs can connect, and they are served once ``run()`` is called.
    ///
    /// At its end ``run()`` removes the socket, its lock file and the directory, if this broker created it. Releasing a
    /// broker that was never run removes them too.
    ///
    /// - Parameters:
    ///   - socketPath: an absolute path in a directory that belongs to this user and that nobody else may enter. The
    ///     directory is created if it is missing; its parents are not. nil: the user's well-known socket.
    ///   - limits: values for limits, by the names that `pasteboard limits` shows: `["first-byte": "5s"]`. One program
    ///     cannot use up `connections`, `boards`, `kept-pool` or `kept-representations`: an eighth, rounded down, stays
    ///     free for other programs. Below 8 that is nothing, and one program may take all.
    ///   - log: receives log lines for an administrator; called on the broker's thread.
    /// - Throws: ``BrokerError`` if the path is not absolute, a limit is invalid, another broker uses the socket, or the
    ///   socket cannot be opened.
    public init(
        socketPath: String? = nil,
        limits: [String: String] = [:],
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        do {
            var bounds = BrokerLimits.standard
            for (name, value) in limits { try bounds.set("\(name)=\(value)") }
            if let socketPath, !socketPath.hasPrefix("/") {
                throw BrokerError(message: "the broker's socketPath is '\(socketPath)'; it has to be an absolute path")
            }
            let place = try socketPath.map({ SocketPlace(socket: $0, isWellKnown: false) }) ?? Self.wellKnownPlace()
            var loop = try BrokerLoop(state: try BrokerDaemon.state(bounds), log: log)
            let stop = try StopSource()
            try loop.add(stop)
            try loop.add(ListenerSource(claiming: place))
            self.socketPath = place.socket
            self.stop = stop
            self.loop = Lock(loop)
        } catch let error as BrokerError {
            throw error
        } catch {
            throw BrokerError(message: (error as? Failure)?.text ?? "\(error)")
        }
    }

    /// Serves until the task is cancelled; then no more connections are taken in, loads that have begun may finish within
    /// 5 s, and it returns. Called once.
    ///
    /// - Throws: ``BrokerError`` where the system fails it, or where it is called again.
    public func run() async throws {
        let end: Result<Void, BrokerError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do {
                    try SystemThread(name: "pasteboard-broker") {
                        continuation.resume(returning: self.serve())
                    }.detach()
                } catch {
                    continuation.resume(returning: .failure(BrokerError(message: "\(error)")))
                }
            }
        } onCancel: {
            stop.signal()
        }
        try end.get()
    }

    private func serve() -> Result<Void, BrokerError> {
        guard var loop = self.loop.withLock({ $0.take() }) else {
            return .failure(BrokerError(message: "a broker is run once; make another"))
        }
        do {
            try loop.run()
            return .success(())
        } catch {
            return .failure(BrokerError(message: "the broker at \(socketPath) failed: \(error)"))
        }
    }

    private static func wellKnownPlace() throws -> SocketPlace {
        let endpoint = try WellKnownEndpoint(
            environment: System.environment,
            userID: System.userID,
            bootID: try System.bootID()
        )
        return try SocketPlace(choosingFrom: endpoint)
    }
}

/// Why a broker cannot serve.
public struct BrokerError: Error, Sendable, CustomStringConvertible {
    /// What failed, on what, and why, in one line.
    public let message: String

    /// The message.
    public var description: String { message }
}
