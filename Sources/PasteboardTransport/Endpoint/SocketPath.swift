import Glibc
package import PasteboardWire

/// The path of the broker's socket, and of the files beside it.
///
/// The directory protects the socket: it belongs to this user, and no other user may enter it. So no other user can
/// create or remove a file at the path.
package struct SocketPath: Equatable, Sendable {
    package let path: String
    /// Whether the path follows from the user's standard directories. Then all missing directories above the socket are
    /// created, and its own is removed with the broker. For a path that the user has chosen, only the last is created.
    let isWellKnown: Bool

    package init(_ path: String, isWellKnown: Bool = true) {
        self.path = path
        self.isWellKnown = isWellKnown
    }

    /// The path that the rule of the protocol yields, the same for the broker and for every client.
    ///
    /// - Parameter environment: returns the value of a variable. An empty value counts as absent.
    package static func wellKnown(environment: (String) -> String?) throws(Failure) -> SocketPath {
        do {
            // Only the last candidates contain the boot id, which has to be read from a file.
            let needsBootID = isEmpty(environment("PASTEBOARD_SOCKET")) && !exists(environment("XDG_RUNTIME_DIR"))
            let endpoint = try WellKnownEndpoint(
                environment: environment,
                userID: System.userID,
                bootID: needsBootID ? try System.bootID() : ""
            )
            return try SocketPath(choosingFrom: endpoint)
        } catch {
            throw error as? Failure ?? Failure(.brokerUnavailable, "\(error)")
        }
    }

    private static func isEmpty(_ value: String?) -> Bool { value?.isEmpty ?? true }

    private static func exists(_ directory: String?) -> Bool {
        guard let directory, !directory.isEmpty else { return false }
        do throws(SystemError) {
            return try System.status(at: directory) != nil
        } catch {
            // It exists but cannot be examined. Choosing a path reports the error.
            return true
        }
    }

    /// The first candidate that can be used.
    package init(choosingFrom endpoint: WellKnownEndpoint) throws(SocketPathError) {
        for candidate in endpoint.candidates {
            switch candidate {
            case .path(let path):
                self.init(path)
                return
            case .named(let path):
                self.init(path, isWellKnown: false)
                return
            case .ifPresent(let base, let path):
                guard try Self.status(at: base) != nil else { continue }
                self.init(path)
                return
            case .ifUsable(let base, let path):
                do throws(SocketPathError) {
                    try Self.check(directory: base)
                } catch {
                    continue
                }
                self.init(path)
                return
            }
        }
        throw .noCandidate
    }

    package var directory: String { System.directory(of: path) }

    /// The file that a broker locks for its lifetime.
    package var brokerLock: String { "\(path).lock" }
    /// The socket at which the broker's keeper receives messages.
    package var keeper: String { "\(path).k" }
    /// The file that a client locks while it starts a broker.
    package var startLock: String { "\(directory)/start.lock" }

    /// Creates the directory if it is missing, and those above it if the path is well-known, and then checks the
    /// directory.
    ///
    /// - Returns: whether this call created the directory.
    @discardableResult
    package func prepareDirectory() throws(SocketPathError) -> Bool {
        var isCreated = false
        var missing: [String] = []
        var path = directory
        while path != "/", path != ".", try Self.status(at: path) == nil {
            missing.append(path)
            path = System.directory(of: path)
        }
        guard isWellKnown || missing.count <= 1 else { throw .noDirectory(missing[1], above: self.path) }
        for path in missing.reversed() {
            do throws(SystemError) {
                try System.makeDirectory(path)
                isCreated = true
            } catch {
                isCreated = false
                // Another process may create the same directory at the same time.
                if error.errno != EEXIST { throw .system(error) }
            }
        }
        try checkDirectory()
        return isCreated
    }

    /// Throws unless the directory belongs to this user and is closed to all others.
    package func checkDirectory() throws(SocketPathError) {
        try Self.check(directory: directory)
    }

    private static func check(directory: String) throws(SocketPathError) {
        let status = try status(at: directory)
        guard let status else { throw .unsafeDirectory(directory, .missing) }
        guard status.kind == .directory else { throw .unsafeDirectory(directory, .notADirectory) }
        guard status.owner == System.userID else { throw .unsafeDirectory(directory, .owned(by: status.owner)) }
        guard status.mode & 0o077 == 0 else { throw .unsafeDirectory(directory, .open(mode: status.mode)) }
    }

    /// Removes the socket of a broker that was killed.
    package func removeStaleSocket(under _: borrowing BrokerLock) throws(SocketPathError) {
        let status = try Self.status(at: path)
        guard let status else { return }
        guard status.kind == .socket, status.owner == System.userID else { throw .occupied(path) }
        try asSocketPathError { () throws(SystemError) in try System.unlink(path) }
    }

    private static func status(at path: String) throws(SocketPathError) -> FileStatus? {
        try asSocketPathError { () throws(SystemError) in try System.status(at: path) }
    }
}
