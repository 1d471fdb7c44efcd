import Glibc

/// The lock that a broker holds for its lifetime. Its holder owns the path of the socket.
///
/// The kernel releases the lock however the broker ends. A broker that ends normally removes the file first.
package struct BrokerLock: ~Copyable, Sendable {
    private var file: LockFile

    /// Acquires the lock, or throws `held` at once. Destroying this value releases it.
    package init(of path: SocketPath) throws(SocketPathError) {
        try self.init(of: path, removing: nil)
    }

    /// - Parameter directory: removed with the lock if nothing else is in it.
    private init(of path: SocketPath, removing directory: String?) throws(SocketPathError) {
        do throws(SystemError) {
            if let file = try LockFile(path.brokerLock, removing: directory) {
                try System.truncate(file.raw, to: 0)
                try System.write(Array("\(System.processID)\n".utf8).span, to: file.raw)
                self.file = file
                return
            }
        } catch {
            throw .system(error)
        }
        throw .held(lock: path.brokerLock, by: Self.holder(of: path))
    }

    /// Takes over the lock of a keeper, which has it, too: either of them releases it.
    init(of path: SocketPath, adopting descriptor: consuming OwnedDescriptor) {
        file = LockFile(path.brokerLock, removing: path.isWellKnown ? path.directory : nil, adopting: descriptor)
    }

    /// Leaves the lock to the process that has it, too.
    mutating func abandon() {
        file.abandon()
    }

    /// The descriptor of the locked file.
    var raw: CInt { file.raw }

    /// Creates the directory if it is missing, and acquires the lock in it. The directory is removed with the lock if
    /// it is empty then, and was created here or the path is well-known.
    static func acquire(preparing path: SocketPath) throws(SocketPathError) -> BrokerLock {
        try path.preparingDirectory { (isCreated) throws(SocketPathError) in
            try BrokerLock(of: path, removing: isCreated || path.isWellKnown ? path.directory : nil)
        }
    }

    /// The process that took the lock last.
    package static func holder(of path: SocketPath) -> CInt? {
        guard let text = try? System.contents(of: path.brokerLock, limit: 32) else { return nil }
        return CInt(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// The lock that a client holds while it starts a broker. Other clients wait for that broker instead of starting more.
package struct StartLock: ~Copyable, Sendable {
    private let file: LockFile

    /// Acquires the lock. If it is not free at the deadline (see `MonotonicClock`), throws `held`.
    package init(of path: SocketPath, deadline: UInt64) throws(SocketPathError) {
        do throws(SystemError) {
            // Polled, because a blocking flock has no timeout.
            var pause = 1
            repeat {
                if let file = try LockFile(path.startLock) {
                    self.file = file
                    return
                }
                _ = try System.poll([], milliseconds: min(pause, Int(MonotonicClock.millisecondsLeft(until: deadline))))
                pause = min(2 * pause, 50)
            } while MonotonicClock.now() < deadline
        } catch {
            throw .system(error)
        }
        throw .held(lock: path.startLock, by: nil)
    }

    /// Creates the directory if it is missing, and acquires the lock in it.
    package static func acquire(preparing path: SocketPath, deadline: UInt64) throws(SocketPathError) -> StartLock {
        try path.preparingDirectory { (_) throws(SocketPathError) in try StartLock(of: path, deadline: deadline) }
    }
}
