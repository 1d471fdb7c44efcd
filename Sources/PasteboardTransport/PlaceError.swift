/// Why a broker cannot have, or a client cannot use, a place for the socket.
package enum PlaceError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum DirectoryFault: Equatable, Sendable {
        case missing
        case notADirectory
        case owned(by: UInt32)
        case open(mode: UInt32)
    }

    /// No rule leads to a path.
    case nowhere
    case unsafeDirectory(String, DirectoryFault)
    /// A directory above a path that the user named does not exist.
    case noDirectory(String, above: String)
    /// Something other than an own socket is at the path.
    case occupied(String)
    /// Another process has the lock: its number, where the lock tells it.
    case held(lock: String, by: CInt?)
    case system(SystemError)

    package var description: String {
        switch self {
        case .nowhere:
            "no place for the socket: XDG_RUNTIME_DIR names no directory and HOME is unset; set one of them, or PASTEBOARD_SOCKET"
        case .unsafeDirectory(let path, .missing):
            "the socket's directory \(path) does not exist"
        case .unsafeDirectory(let path, .notADirectory):
            "\(path) has to be a directory for the socket, and not a symbolic link; remove it or choose another path"
        case .unsafeDirectory(let path, .owned(let owner)):
            "the socket's directory \(path) belongs to user \(owner), not to user \(System.userID); choose another path"
        case .unsafeDirectory(let path, .open(let mode)):
            "others may enter the socket's directory \(path) (mode \(String(mode, radix: 8))); choose one of your own, or "
                + "close it if nothing else uses it: chmod 700 '\(path)'"
        case .noDirectory(let directory, let path):
            "there is no directory \(directory) for the socket \(path); correct the path, or create the directory"
        case .occupied(let path):
            "\(path) is not a socket of this user; remove it or choose another path"
        case .held(let lock, let process?):
            "process \(process) holds \(lock)"
        case .held(let lock, nil):
            "another process holds \(lock)"
        case .system(let error):
            error.description
        }
    }
}

/// Runs calls of the system for a place.
func asPlaceError<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
) throws(PlaceError) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
