import Glibc
package import PasteboardWire

/// A path for the broker's socket and what lies beside it.
///
/// The directory is the guard: it belongs to this user and nobody else may enter it, so nobody else can put anything at
/// the path, or remove what is there.
package struct SocketPlace: Equatable, Sendable {
    package let socket: String
    /// Whether the place is the user's own and nobody else's: then all missing directories above the socket are made, and
    /// its own directory goes with the broker. Of a path that somebody has given only the last directory is made.
    let isWellKnown: Bool

    package init(socket: String, isWellKnown: Bool = true) {
        self.socket = socket
        self.isWellKnown = isWellKnown
    }

    /// The first place of the list that can be used.
    package init(choosingFrom endpoint: WellKnownEndpoint) throws(PlaceError) {
        for place in endpoint.places {
            switch place {
            case .path(let path):
                self.init(socket: path)
                return
            case .named(let path):
                self.init(socket: path, isWellKnown: false)
                return
            case .ifPresent(let base, let path):
                guard try Self.status(at: base) != nil else { continue }
                self.init(socket: path)
                return
            case .ifUsable(let base, let path):
                do throws(PlaceError) {
                    try Self.check(directory: base)
                } catch {
                    continue
                }
                self.init(socket: path)
                return
            }
        }
        throw .nowhere
    }

    package var directory: String {
        let slash = socket.lastIndex(of: "/") ?? socket.startIndex
        return slash == socket.startIndex ? "/" : String(socket[..<slash])
    }

    /// Held by the living broker.
    package var lifeLock: String { "\(socket).lock" }
    /// Held by the client that starts a broker.
    package var startLock: String { "\(directory)/start.lock" }

    /// Makes the directory, and those above it unless the path is the user's own, where they are missing; then checks it.
    ///
    /// - Returns: whether this call created the directory.
    @discardableResult
    package func prepareDirectory() throws(PlaceError) -> Bool {
        var isMade = false
        var missing: [String] = []
        var path = directory
        while path != "/", try Self.status(at: path) == nil {
            missing.append(path)
            path = SocketPlace(socket: path).directory
        }
        guard isWellKnown || missing.count <= 1 else { throw .noDirectory(missing[1], above: socket) }
        for path in missing.reversed() {
            do throws(SystemError) {
                try System.makeDirectory(path)
                isMade = true
            } catch {
                isMade = false
                // Another process may make the same directory at the same moment.
                if error.errno != EEXIST { throw .system(error) }
            }
        }
        try checkDirectory()
        return isMade
    }

    /// Throws unless the directory is this user's and closed to everybody else.
    package func checkDirectory() throws(PlaceError) {
        try Self.check(directory: directory)
    }

    private static func check(directory: String) throws(PlaceError) {
        let status = try status(at: directory)
        guard let status else { throw .unsafeDirectory(directory, .missing) }
        guard status.kind == .directory else { throw .unsafeDirectory(directory, .notADirectory) }
        guard status.owner == System.userID else { throw .unsafeDirectory(directory, .owned(by: status.owner)) }
        guard status.mode & 0o077 == 0 else { throw .unsafeDirectory(directory, .open(mode: status.mode)) }
    }

    /// Removes the socket that a broker has left behind that ended without doing so.
    package func removeStaleSocket(under _: borrowing LifeLock) throws(PlaceError) {
        let status = try Self.status(at: socket)
        guard let status else { return }
        guard status.kind == .socket, status.owner == System.userID else { throw .occupied(socket) }
        try asPlaceError { () throws(SystemError) in try System.unlink(socket) }
    }

    private static func status(at path: String) throws(PlaceError) -> FileStatus? {
        try asPlaceError { () throws(SystemError) in try System.status(at: path) }
    }
}
