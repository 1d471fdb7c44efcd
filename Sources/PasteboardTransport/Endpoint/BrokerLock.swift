import Glibc

/// The lock that a broker holds for its lifetime. Its holder owns the path of the socket.
///
/// The kernel releases the lock however the broker ends. A broker that ends normally removes the file first.
package struct BrokerLock: ~Copyable, Sendable {
    private let file: LockFile

    /// Acquires the lock. If it is not free at the deadline (see `MonotonicClock`), throws `held`. Destroying this
    /// value releases it.
    package init(of path: SocketPath, until deadline: UInt64 = 0) throws(SocketPathError) {
        do throws(SystemError) {
            if let file = try LockFile(path.brokerLock, until: deadline) {
                try System.truncate(file.raw, to: 0)
                try System.write(Array("\(System.processID)\n".utf8).span, to: file.raw)
                self.file = file
                return
            }
        } catch {
            throw .system(SystemError(call: "lock", errno: error.errno, subject: path.brokerLock))
        }
        throw .held(lock: path.brokerLock, by: Self.holder(of: path))
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
            if let file = try LockFile(path.startLock, until: deadline) {
                self.file = file
                return
            }
        } catch {
            throw .system(error)
        }
        throw .held(lock: path.startLock, by: nil)
    }
}
