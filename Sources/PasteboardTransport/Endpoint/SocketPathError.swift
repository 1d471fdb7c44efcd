import Glibc

/// The reason why a broker cannot serve, or a client cannot use, the path of a socket.
package enum SocketPathError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum DirectoryFault: Equatable, Sendable {
        case missing
        case notADirectory
        case owned(by: UInt32)
        case open(mode: UInt32)
        case writable(mode: UInt32)
    }

    /// The protocol's rule yields no path.
    case noCandidate
    case unsafeDirectory(String, DirectoryFault)
    /// Other users can connect to the socket.
    case openSocket(String, mode: UInt32)
    /// A directory above a path that the user has chosen does not exist.
    case noDirectory(String, above: String)
    /// The directory cannot be created, because something above it is missing.
    case notCreated(String)
    /// This user should not, or may not, create anything in another user's directory.
    case foreignDirectory(String, owner: UInt32, for: String)
    /// The file at the path is not a socket of this user.
    case occupied(String)
    /// Another process has the lock. Its process id is known if the lock file contains it.
    case held(lock: String, by: CInt?)
    case system(SystemError)

    /// Whether another user could replace the socket, or could use it, too.
    package var meansNotPermitted: Bool {
        switch self {
        case .unsafeDirectory(_, .writable), .openSocket: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .noCandidate:
            "no directory for the socket is named by XDG_RUNTIME_DIR, XDG_STATE_HOME or HOME; set one of them, or "
                + "PASTEBOARD_SOCKET"
        case .unsafeDirectory(let path, .missing):
            "the socket's directory \(path) does not exist"
        case .unsafeDirectory(let path, .notADirectory):
            "the socket's directory \(path) is not a directory, or is a symbolic link; remove it or choose another path"
        case .unsafeDirectory(let path, .owned(let owner)):
            "the socket's directory \(path) belongs to user \(owner), not to user \(System.userID); use sudo "
                + "without -E or su with -, or set PASTEBOARD_SOCKET to a path of your own"
        case .unsafeDirectory(let path, .open(let mode)):
            "other users can access the socket's directory \(path) (mode \(String(mode, radix: 8))); choose another "
                + "directory, or restrict this one if nothing else uses it: chmod 700 '\(path)'"
        case .unsafeDirectory(let path, .writable(let mode)):
            "other users can write to the socket's directory \(path) (mode \(String(mode, radix: 8))), and could put "
                + "another socket there; move the socket to a directory of your own"
        case .openSocket(let path, let mode):
            "other users can connect to the socket \(path) (mode \(String(mode, radix: 8))), and through it to your "
                + "broker; restrict it: chmod 600 '\(path)' (for ssh -R: StreamLocalBindMask 0177 in sshd_config)"
        case .noDirectory(let directory, let path):
            "the directory \(directory) for the socket \(path) does not exist; correct the path or create the directory"
        case .notCreated(let directory):
            "the socket's directory \(directory) cannot be created: a directory above it is missing, or is a symbolic "
                + "link to nothing; create it, or choose another path for the socket with PASTEBOARD_SOCKET"
        case .foreignDirectory(let directory, let owner, let path):
            "\(path) is missing and would be created in \(directory), which belongs to user \(owner), not to user "
                + "\(System.userID); use sudo without -E or su with -, or set the variable that names it (HOME, "
                + "XDG_STATE_HOME, XDG_RUNTIME_DIR or PASTEBOARD_SOCKET) to a path of your own"
        case .occupied(let path):
            "\(path) is not a socket of this user; remove it or choose another path"
        case .held(let lock, let process?):
            "process \(process) holds the lock \(lock)"
        case .held(let lock, nil):
            "another process holds the lock \(lock)"
        case .system(let error):
            error.description
        }
    }
}

/// Converts errors of the system.
func asSocketPathError<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
) throws(SocketPathError) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
