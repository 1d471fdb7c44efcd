/// A path that this process serves: its lock, and the listening socket that is made while the lock is held.
package struct ClaimedSocket: ~Copyable {
    package let path: SocketPath
    /// Whether another broker has left its socket there: it was killed, or hands the path over.
    package let wasLeft: Bool
    private var lock: BrokerLock?
    /// nil before `listen`.
    private var listener: ListeningSocket?
    /// The descriptor of the socket, which is readable while a connection is waiting; -1 before `listen`.
    package private(set) var raw: CInt = -1
    // Identifies the socket's file. A file that has replaced it belongs to another process and is not removed.
    private var file: FileStatus?

    /// Prepares the directory, and takes the lock. The socket and the lock file are removed when this value is
    /// destroyed. The directory stays, because it may be mounted into a container, which would keep a removed one.
    ///
    /// - Parameter deadline: the time until which it waits for the lock (see `MonotonicClock`).
    package init(claiming path: SocketPath, until deadline: UInt64 = 0) throws(SocketPathError) {
        try path.prepareDirectory()
        lock = try BrokerLock(of: path, until: deadline)
        wasLeft = try path.holdsSocket()
        self.path = path
    }

    /// Listens. The socket takes the place of one that is there in one step, so that clients find one at each moment.
    ///
    /// - Parameter refusal: the bytes sent to a connection for which no descriptor is left.
    package mutating func listen(refusal: [UInt8] = []) throws(SocketPathError) {
        // A path may be so long that the other name does not fit. Then there is no socket for a moment.
        let fits = path.newSocket.utf8.count <= SocketPath.longest
        let new = SocketPath(fits ? path.newSocket : path.path)
        let isLeft = try new.holdsSocket()
        do throws(SystemError) {
            if isLeft { try System.unlink(new.path) }
            let listener = try ListeningSocket(path: new.path, refusal: refusal)
            raw = listener.raw
            self.listener = consume listener
            file = try System.status(at: new.path)
            if fits { try System.rename(new.path, to: path.path) }
        } catch {
            throw .system(error)
        }
    }

    /// Takes the next connection off the queue, without waiting.
    package mutating func accept() throws(SystemError) -> ListeningSocket.Accepted {
        try listener?.accept() ?? .none
    }

    /// Whether the path still leads to this process's socket.
    package var isReachable: Bool {
        guard let file, let now = try? System.status(at: path.path) else { return false }
        return now.isSameFile(as: file)
    }

    /// Releases the lock, so that another broker can take the path over. Connections wait in the queue of the socket
    /// meanwhile.
    package mutating func handOver() {
        lock = nil
    }

    /// Removes the socket if it is still this process's, and releases the lock. A successor can start while this
    /// process finishes the loads that have begun.
    package mutating func withdraw() {
        removeSocket()
        lock = nil
    }

    private mutating func removeSocket() {
        // Another broker may be about to take the path over.
        if lock == nil { lock = try? BrokerLock(of: path) }
        if lock != nil, isReachable { try? System.unlink(path.path) }
    }

    deinit {
        if lock != nil, isReachable { try? System.unlink(path.path) }
    }
}
