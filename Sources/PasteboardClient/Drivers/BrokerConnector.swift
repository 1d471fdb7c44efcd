package import PasteboardTransport
package import PasteboardWire

/// Finds this user's broker and connects to it. Starts a broker if there is none.
package struct BrokerConnector: Sendable {
    /// The timeout in milliseconds for each of three steps: connecting, waiting for another client that starts a
    /// broker, and starting a broker.
    package static let timeouts = 5_000

    /// The end of errors that the command explains.
    package static let hint = "; see pasteboard doctor"

    package let socket: SocketPath
    /// False if `PASTEBOARD_AUTOSTART` is 0.
    package var startsBroker: Bool
    private let environment: ProcessEnvironment

    /// Determines the socket's path by the rule of the protocol.
    package init(environment: ProcessEnvironment = ProcessEnvironment()) throws(Failure) {
        socket = try SocketPath.wellKnown { environment[$0] }
        self.environment = environment
        startsBroker = environment["PASTEBOARD_AUTOSTART"] != "0"
    }

    /// Returns a connected socket whose other end is a process of this user.
    package func connect() throws(Failure) -> OwnedDescriptor {
        if let socket = try attempt() { return socket }
        guard startsBroker else {
            let reason = environment["PASTEBOARD_AUTOSTART"] == "0" ? " (PASTEBOARD_AUTOSTART is 0)" : ""
            throw Failure(
                .brokerUnavailable,
                "no broker listens at \(self.socket.path), and this program starts none\(reason); start one: "
                    + "pasteboard broker"
            )
        }
        return try connectStarting()
    }

    /// Like `connect`, but returns nil if there is no broker, for requests that are not worth starting one.
    ///
    /// - Parameter deadline: the time up to which it waits while the socket's queue is full (see `MonotonicClock`).
    package func connectIfServed(until deadline: UInt64 = .max) throws(Failure) -> OwnedDescriptor? {
        if let socket = try attempt(until: deadline) { return socket }
        // A path that the user has named may be wrong, so that no broker can ever be there.
        do {
            if !self.socket.isWellKnown { _ = try self.socket.missingDirectories() }
            return nil
        } catch {
            throw Failure(.brokerUnavailable, "no broker can be at \(self.socket.path): \(error)\(Self.hint)")
        }
    }

    private func attempt(until deadline: UInt64 = .max) throws(Failure) -> OwnedDescriptor? {
        do {
            try self.socket.checkSocket()
            let deadline = min(deadline, MonotonicClock.deadline(milliseconds: Self.timeouts))
            let socket = try Socket.connect(path: self.socket.path, deadline: deadline)
            let peer = try PeerCredentials(of: socket.raw)
            guard peer.user == System.userID else {
                throw Failure(
                    .notPermitted,
                    "the broker at \(self.socket.path) runs as user \(peer.user), this program as user "
                        + "\(System.userID)\(Self.hint)"
                )
            }
            return socket
        } catch SocketPathError.unsafeDirectory(_, .missing) {
            return nil
        } catch let error as SystemError where error.meansNobodyListens {
            return nil
        } catch let error as SystemError where error.meansNotPermitted {
            throw Failure(.notPermitted, "cannot use the broker at \(self.socket.path): \(error.reason)\(Self.hint)")
        } catch let error as SocketPathError where error.meansNotPermitted {
            throw Failure(.notPermitted, "cannot use the broker at \(self.socket.path): \(error)\(Self.hint)")
        } catch {
            throw error as? Failure
                ?? Failure(
                    .brokerUnavailable,
                    "cannot connect to the broker at \(self.socket.path): \(error)\(Self.hint)"
                )
        }
    }

    /// Starts a broker at a path that only this program knows. The broker creates the directory of the
    /// socket, and the program removes it.
    package func startOwn() throws {
        if let trouble = try BrokerStart(environment: environment).run() {
            throw Failure(.brokerUnavailable, "cannot start a broker for \(socket.path): \(trouble)\(Self.hint)")
        }
    }

    /// Connects, and starts a broker if there is none. If several clients find no broker at the same time, one starts
    /// it and the others wait.
    private func connectStarting() throws(Failure) -> OwnedDescriptor {
        do {
            let deadline = MonotonicClock.deadline(milliseconds: 2 * Self.timeouts)
            try self.socket.prepareDirectory()
            let lock = try StartLock(of: self.socket, deadline: deadline)
            // Keeps the lock until the end of this scope.
            defer { withExtendedLifetime(lock) {} }
            if let socket = try attempt() { return socket }
            let start = try BrokerStart(environment: environment)
            let trouble = try start.run()
            // If the start failed because another client's broker runs already, that broker is used.
            if let socket = try attempt() { return socket }
            throw Failure(
                .brokerUnavailable,
                "no broker listens at \(self.socket.path): \(trouble ?? "\(start.program) ended at once")\(Self.hint)"
            )
        } catch {
            throw error as? Failure
                ?? Failure(.brokerUnavailable, "cannot start a broker for \(self.socket.path): \(error)\(Self.hint)")
        }
    }
}

/// The environment variables of this process, or others that replace them.
package struct ProcessEnvironment: Sendable {
    private let variables: [String: String]?

    package init(_ variables: [String: String]? = nil) {
        self.variables = variables
    }

    /// The value of a variable; nil if it is unset or empty.
    package subscript(name: String) -> String? {
        let value = variables.map { $0[name] } ?? System.environment(name)
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// All variables, each as `NAME=value`.
    package var entries: [String] {
        variables?.map { "\($0)=\($1)" } ?? System.environment()
    }
}
