import CPasteboardSystem
import Glibc

extension Socket {
    /// Connects to the socket at `path`, waiting for a place in its queue until `deadline` (see `MonotonicClock`).
    ///
    /// Errors worth telling apart: ENOENT and ECONNREFUSED mean that nobody listens, EACCES that the socket is somebody
    /// else's, ETIMEDOUT that somebody listens but does not accept.
    package static func connect(path: String, deadline: UInt64) throws(SystemError) -> OwnedDescriptor {
        try checkLength(of: path)
        let socket = OwnedDescriptor(adopting: try System.call("socket") { pbs_unix_socket() })
        // A Unix socket connects at once or, while the queue is full, not at all; nothing tells when it has room.
        var pause = 1
        while true {
            if try attempt(socket.raw, path) { return socket }
            guard MonotonicClock.now() < deadline else {
                throw SystemError(call: "connect", errno: ETIMEDOUT, subject: path)
            }
            _ = try System.poll([], milliseconds: min(pause, Int(MonotonicClock.millisecondsLeft(until: deadline))))
            pause = min(2 * pause, 50)
        }
    }

    private static func attempt(_ socket: CInt, _ path: String) throws(SystemError) -> Bool {
        do throws(SystemError) {
            _ = try System.call("connect", path) { pbs_connect(socket, path) }
            return true
        } catch {
            if error.errno == EAGAIN { return false }
            throw error
        }
    }

    /// A longer path would be cut off, and name another socket.
    static func checkLength(of path: String) throws(SystemError) {
        if path.utf8.count > PBS_PATH_CAPACITY || path.utf8.contains(0) {
            throw SystemError(
                call: "socket path",
                errno: ENAMETOOLONG,
                subject: "\(path) (\(path.utf8.count) bytes; at most \(PBS_PATH_CAPACITY) are possible)"
            )
        }
    }
}

extension SystemError {
    /// Of connecting: nobody is there.
    package var meansNobodyListens: Bool { errno == ENOENT || errno == ECONNREFUSED }
    /// The file belongs to somebody else.
    package var meansNotPermitted: Bool { errno == EACCES || errno == EPERM }
}
