import Glibc
import PasteboardTransport

/// A temporary directory for the socket of a private broker, removed when this object is released.
final class PrivateDirectory {
    let path: String

    /// - Parameters:
    ///   - name: a part of the directory's name.
    ///   - isCreated: false if the broker creates the directory. Then it also removes it, if this process is killed.
    init(_ name: String, isCreated: Bool = true) throws {
        let random = try System.randomBytes(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        path = "\(System.temporaryDirectory)/\(Self.prefix(name))\(random)"
        if isCreated { try System.makeDirectory(path) }
    }

    var socket: String { "\(path)/socket" }

    deinit {
        Self.remove(path)
    }

    private static func prefix(_ name: String) -> String { "pasteboard-\(name)-" }

    private static func remove(_ path: String) {
        for file in ["socket", "socket.k", "socket.lock", "start.lock"] { try? System.unlink("\(path)/\(file)") }
        try? System.removeDirectory(path)
    }

    /// Removes the directories of one kind and of this user whose broker was killed together with the process that has
    /// started it.
    static func removeAbandoned(_ kind: String) {
        let parent = System.temporaryDirectory
        guard let directory = try? System.open(parent, .directory),
            let names = try? System.entries(of: directory.raw)
        else { return }
        // The broker of a new directory may not have its lock yet.
        let newest = (Int64(time(nil)) - 60) * 1_000_000_000
        for name in names.map(\.description) where name.hasPrefix(prefix(kind)) {
            let path = "\(parent)/\(name)"
            let socket = SocketPath("\(path)/socket", isWellKnown: false)
            guard (try? socket.checkDirectory()) != nil, let status = try? System.status(at: path),
                status.modifiedAt < newest, let lock = try? BrokerLock(of: socket)
            else { continue }
            remove(path)
            _ = consume lock
        }
    }
}
