/// A path that this process serves: its lock, and the listening socket that is bound while the lock is held.
package struct ClaimedSocket: ~Copyable {
    package let path: SocketPath
    package var listener: ListeningSocket
    private var lock: BrokerLock?
    // Identifies the socket's file. A file that has replaced it belongs to another process and is not removed.
    private let file: FileStatus?

    /// Prepares the directory, takes the lock, removes the socket of a broker that was killed, and listens. The socket
    /// and the lock file are removed when this value is destroyed. The directory stays, because it may be mounted into
    /// a container, which would keep a removed one.
    ///
    /// - Parameter refusal: the bytes sent to a connection for which no descriptor is left.
    package init(claiming path: SocketPath, refusal: [UInt8] = []) throws(SocketPathError) {
        try path.prepareDirectory()
        let lock = try BrokerLock(of: path)
        try path.removeStaleSocket(under: lock)
        let listener = try asSocketPathError { () throws(SystemError) in
            try ListeningSocket(path: path.path, refusal: refusal)
        }
        let file = try asSocketPathError { () throws(SystemError) in try System.status(at: path.path) }
        self.path = path
        self.listener = listener
        self.file = file
        self.lock = consume lock
    }

    /// Takes over the socket and the lock of a keeper, which has them, too: either of them withdraws.
    package init(
        adopting listener: consuming ListeningSocket,
        lock: consuming OwnedDescriptor,
        at path: SocketPath
    ) throws(SystemError) {
        file = try System.status(at: path.path)
        self.path = path
        self.listener = listener
        self.lock = BrokerLock(of: path, adopting: lock)
    }

    /// The descriptors of the socket and the lock, for a broker that takes them over; nil after `withdraw`.
    package var descriptors: (socket: CInt, lock: CInt)? {
        mutating get {
            guard let lock = lock?.raw else { return nil }
            return (listener.raw, lock)
        }
    }

    /// Whether the path still leads to this process's socket.
    package var isReachable: Bool {
        guard let file, let now = try? System.status(at: path.path) else { return false }
        return now.isSameFile(as: file)
    }

    /// Removes the socket if it is still this process's, and then releases the lock. A successor can start while this
    /// process finishes the loads that have begun.
    package mutating func withdraw() {
        removeSockets()
        lock = nil
    }

    private func removeSockets() {
        guard lock != nil else { return }
        if isReachable { try? System.unlink(path.path) }
    }

    /// Leaves the socket and the lock to the process that has them, too.
    package mutating func abandon() {
        lock?.abandon()
        lock = nil
    }

    deinit {
        removeSockets()
    }
}
