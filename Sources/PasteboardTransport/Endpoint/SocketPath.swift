import CPasteboardSystem
import Glibc
package import PasteboardWire

/// The path of the broker's socket, and of the files beside it.
///
/// The directory protects the socket: it belongs to this user, and no other user may enter it. So no other user can
/// create or remove a file at the path.
package struct SocketPath: Equatable, Sendable {
    /// The largest number of bytes of a socket's path.
    package static var longest: Int { Int(PBS_PATH_CAPACITY) }

    package let path: String
    /// Whether the path follows from the user's standard directories. Then all missing directories above the socket are
    /// created. For a path that the user has chosen, only the last is created.
    package let isWellKnown: Bool

    package init(_ path: String, isWellKnown: Bool = true) {
        self.path = path
        self.isWellKnown = isWellKnown
    }

    /// A path in a new directory for temporary files: in `TMPDIR`, or in `XDG_RUNTIME_DIR` or `/tmp` if `TMPDIR` is
    /// missing or would make the path too long for a socket.
    ///
    /// - Parameter name: of the directory.
    package static func temporary(_ name: String) -> SocketPath {
        let runtime = System.environment("XDG_RUNTIME_DIR").flatMap { (try? isOwn($0)) == true ? $0 : nil }
        let parents = [System.temporaryDirectory, runtime ?? "/tmp", "/tmp"].filter { parent in
            (try? System.status(at: "\(parent)/."))?.kind == .directory
        }
        let paths = (parents + ["/tmp"]).map { SocketPath("\($0)/\(name)/socket", isWellKnown: false) }
        return paths.first { $0.newSocket.utf8.count <= longest } ?? paths[0]
    }

    /// The path that the rule of the protocol yields, the same for the broker and for every client.
    ///
    /// - Parameter environment: returns the value of a variable. An empty value counts as absent.
    package static func wellKnown(environment: (String) -> String?) throws(Failure) -> SocketPath {
        do {
            return try SocketPath(
                choosingFrom: try WellKnownEndpoint(environment: environment, userID: System.userID)
            )
        } catch {
            throw error as? Failure ?? Failure(.brokerUnavailable, "cannot choose a path for the socket: \(error)")
        }
    }

    /// The first candidate that can be used.
    package init(choosingFrom endpoint: WellKnownEndpoint) throws(SocketPathError) {
        for candidate in endpoint.candidates {
            switch candidate {
            case .named(let path):
                self.init(path, isWellKnown: false)
                return
            case .ifOwn(let base, let path):
                guard try Self.isOwn(base) else { continue }
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
            case .ofThisBoot(let base):
                let boot = try asSocketPathError { () throws(SystemError) in try System.bootID() }
                self.init("\(base)/\(boot)/socket")
                return
            }
        }
        throw .noCandidate
    }

    private static func isOwn(_ directory: String) throws(SocketPathError) -> Bool {
        do throws(SystemError) {
            // The variable may name a link to the directory, which the dot follows.
            return try System.status(at: "\(directory)/.")?.owner == System.userID
        } catch {
            // A directory that this user cannot reach is another user's.
            if error.errno == EACCES { return false }
            throw .system(error)
        }
    }

    package var directory: String { System.directory(of: path) }

    /// The file that a broker locks for its lifetime.
    package var brokerLock: String { "\(path).lock" }
    /// The name under which a socket is made, before it takes its place.
    package var newSocket: String { "\(path).n" }
    /// The file that a client locks while it starts a broker.
    package var startLock: String { "\(directory)/start.lock" }

    /// Creates the directory if it is missing, and those above it if the path is well-known, and then checks the
    /// directory. It is never removed, because the documents tell users to mount it.
    package func prepareDirectory() throws(SocketPathError) {
        try Self.create(try missingDirectories(includingForeign: true))
        try checkDirectory()
    }

    /// The directories that `prepareDirectory` would create, the deepest first. Throws if it would not.
    ///
    /// - Parameter includingForeign: whether they may be in a directory of another user, in which creating them may
    ///   fail.
    package func missingDirectories(includingForeign: Bool = false) throws(SocketPathError) -> [String] {
        let missing = try Self.missingDirectories(to: directory)
        guard isWellKnown || missing.count <= 1 else { throw .noDirectory(missing[1], above: self.path) }
        if !includingForeign, let foreign = try Self.foreignDirectory(above: missing) { throw foreign }
        return missing
    }

    /// Throws the error that a broker would have with the directory: makes a directory with a file where the broker
    /// would make its own, under another name, and removes both.
    package func tryDirectory() throws(SocketPathError) {
        let missing = try missingDirectories()
        let place = missing.last.map { System.directory(of: $0) } ?? directory
        do throws(SystemError) {
            let trial = "\(place)/.trial-" + (try System.randomBytes(6).map { String($0, radix: 16) }.joined())
            try System.makeDirectory(trial)
            defer { try? System.removeDirectory(trial) }
            let file = try System.open("\(trial)/file", [.writing, .exclusive])
            defer { try? System.unlink("\(trial)/file") }
            try System.write([UInt8](repeating: 0, count: 4_096).span, to: file.raw)
        } catch {
            throw .system(SystemError(call: "make files in", errno: error.errno, subject: place))
        }
    }

    /// Creates a directory, and those above it that are missing, for this user alone. It may exist.
    package static func createDirectory(_ path: String) throws(SocketPathError) {
        try create(missingDirectories(to: path))
    }

    /// The directories that have to be created, the deepest first.
    private static func missingDirectories(to directory: String) throws(SocketPathError) -> [String] {
        var missing: [String] = []
        var path = directory
        while path != "/", path != ".", try status(at: path) == nil {
            missing.append(path)
            path = System.directory(of: path)
        }
        return missing
    }

    private static func create(_ missing: [String]) throws(SocketPathError) {
        let foreign = try foreignDirectory(above: missing)
        // Root may create directories everywhere, but their owner could not use or remove them.
        if let foreign, System.userID == 0 { throw foreign }
        for path in missing.reversed() {
            do throws(SystemError) {
                try System.makeDirectory(path)
            } catch {
                // Another process may create the same directory at the same time.
                if error.errno == EEXIST { continue }
                if error.errno == EACCES, let foreign { throw foreign }
                if error.errno == ENOENT { throw .notCreated(missing[0]) }
                throw .system(error)
            }
        }
    }

    /// The error if the missing directories would be created in a directory of another user.
    private static func foreignDirectory(above missing: [String]) throws(SocketPathError) -> SocketPathError? {
        guard let highest = missing.last else { return nil }
        let above = System.directory(of: highest)
        // The dot follows a link, whose own mode is open to everybody.
        guard let parent = try status(at: "\(above)/."), parent.owner != System.userID, parent.mode & 0o002 == 0
        else { return nil }
        return .foreignDirectory(above, owner: parent.owner, for: missing[0])
    }

    /// Throws unless the directory belongs to this user and is closed to all others.
    package func checkDirectory() throws(SocketPathError) {
        try Self.check(directory: directory)
    }

    private static func check(directory: String) throws(SocketPathError) {
        let status = try directoryStatus(at: directory)
        guard status.owner == System.userID else { throw .unsafeDirectory(directory, .owned(by: status.owner)) }
        guard status.mode & 0o077 == 0 else { throw .unsafeDirectory(directory, .open(mode: status.mode)) }
    }

    private static func directoryStatus(at path: String) throws(SocketPathError) -> FileStatus {
        let status = try status(at: path)
        guard let status else { throw .unsafeDirectory(path, .missing) }
        guard status.kind == .directory else { throw .unsafeDirectory(path, .notADirectory) }
        return status
    }

    /// Throws if something else than a socket is at the path, or if other users could put a socket there, or can
    /// connect to the one that is there.
    ///
    /// This is the check of a client. Its directory may be open to others, unlike that of a broker: a socket may be
    /// forwarded by `ssh`, or mounted alone into a container.
    package func checkSocket() throws(SocketPathError) {
        let parent = try Self.directoryStatus(at: directory)
        guard [System.userID, 0].contains(parent.owner) else {
            throw .unsafeDirectory(directory, .owned(by: parent.owner))
        }
        guard parent.mode & 0o022 == 0 else { throw .unsafeDirectory(directory, .writable(mode: parent.mode)) }
        guard let socket = try Self.status(at: path) else { return }
        guard [.socket, .symbolicLink].contains(socket.kind) else { throw .occupied(path) }
        // Nobody else gets to the socket in a directory that is closed.
        guard parent.mode & 0o011 == 0 || socket.mode & 0o022 == 0 else {
            throw .openSocket(path, mode: socket.mode)
        }
    }

    /// Whether a socket is there; throws if something else is.
    func holdsSocket() throws(SocketPathError) -> Bool {
        guard let status = try Self.status(at: path) else { return false }
        guard status.kind == .socket, status.owner == System.userID else { throw .occupied(path) }
        return true
    }

    private static func status(at path: String) throws(SocketPathError) -> FileStatus? {
        try asSocketPathError { () throws(SystemError) in try System.status(at: path) }
    }
}
