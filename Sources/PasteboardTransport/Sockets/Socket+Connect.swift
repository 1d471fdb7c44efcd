import CPasteboardSystem
import Glibc

extension Socket {
    /// Connects to the socket at `path`, which is in the abstract name space if it begins with `@`. While its queue is
    /// full, waits until `deadline` (see `MonotonicClock`).
    ///
    /// ENOENT and ECONNREFUSED mean that no process listens, EACCES that the socket belongs to another user, and
    /// ETIMEDOUT that a process listens but does not accept.
    package static func connect(path: String, deadline: UInt64) throws(SystemError) -> OwnedDescriptor {
        try checkLength(of: path)
        var socket = OwnedDescriptor(adopting: try System.call("socket") { pbs_unix_socket() })
        // In a program that has closed a standard stream, its output would be sent to the other side.
        if socket.raw <= 2 { socket = try System.duplicate(socket.raw) }
        // A Unix socket connects at once or, while the queue is full, not at all. The kernel reports no event when the
        // queue has room.
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

    /// Connects to a TCP port of this machine.
    package static func connect(localPort port: UInt16) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(adopting: try System.call("connect", "port \(port)") { pbs_connect_local_port(port) })
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

    /// Throws if the path is too long. The kernel would cut it off, and it would name another socket.
    static func checkLength(of path: String) throws(SystemError) {
        if path.utf8.count > PBS_PATH_CAPACITY || path.utf8.contains(0) {
            throw SystemError(
                call: "socket path",
                errno: ENAMETOOLONG,
                subject: "\(path) (\(path.utf8.count) bytes, of at most \(PBS_PATH_CAPACITY) possible ones)"
            )
        }
    }
}

extension SystemError {
    /// Whether connecting failed because no process listens.
    package var meansNobodyListens: Bool { errno == ENOENT || errno == ECONNREFUSED }
    /// Whether the file belongs to another user.
    package var meansNotPermitted: Bool { errno == EACCES || errno == EPERM }
}
