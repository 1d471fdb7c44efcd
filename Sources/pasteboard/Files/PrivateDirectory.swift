import PasteboardTransport

/// A temporary directory for the socket of a private broker, removed when this object is released.
final class PrivateDirectory {
    let path: String

    /// - Parameter name: a part of the directory's name.
    init(_ name: String) throws {
        path = try Self.newPath(name)
        try System.makeDirectory(path)
    }

    var socket: String { "\(path)/socket" }

    deinit {
        for file in ["socket", "socket.lock", "start.lock"] { try? System.unlink("\(path)/\(file)") }
        try? System.removeDirectory(path)
    }

    private static func prefix(_ name: String) -> String { "pasteboard-\(name)-" }

    /// A path that is not used yet.
    static func newPath(_ name: String) throws(SystemError) -> String {
        let random = try System.randomBytes(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(System.temporaryDirectory)/\(prefix(name))\(random)"
    }

    /// Removes the directories of killed processes that held the lock of a socket in them.
    static func removeLeftovers(_ name: String) {
        let base = System.temporaryDirectory
        guard let opened = try? System.open(base, .directory), let entries = try? System.entries(of: opened.raw) else {
            return
        }
        for entry in entries {
            guard let text = entry.text, text.hasPrefix(prefix(name)) else { continue }
            try? removeLeftover(SocketPath("\(base)/\(text)/socket", isWellKnown: false))
        }
    }

    private static func removeLeftover(_ path: SocketPath) throws {
        try path.checkDirectory()
        // The socket is created after its lock was taken. Without one, the process may be about to take the lock.
        guard try System.status(at: path.path) != nil else { return }
        try removeSocket(path)
        try System.removeDirectory(path.directory)
    }

    /// Throws if the process is running, which holds the lock.
    private static func removeSocket(_ path: SocketPath) throws(SocketPathError) {
        let lock = try BrokerLock(of: path)
        try path.removeStaleSocket(under: lock)
    }
}
