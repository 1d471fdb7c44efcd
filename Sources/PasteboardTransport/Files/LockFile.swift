import Glibc

/// A locked file, which is removed before it is unlocked.
///
/// Two processes never hold locks of one name: the file is removed only while it is locked, and a process that has
/// locked it checks that the name still refers to it.
///
/// Not private, because other modules store it inside of `BrokerLock` and `StartLock`: a release build fails to link a
/// private type there.
package struct LockFile: ~Copyable, Sendable {
    private let path: String
    private let file: OwnedDescriptor

    var raw: CInt { file.raw }

    /// Acquires the lock. Returns nil if another process has it at the deadline (see `MonotonicClock`), which may be
    /// over.
    package init?(_ path: String, until deadline: UInt64 = 0) throws(SystemError) {
        var pause = 1
        while true {
            let file = try System.open(path, [.readingAndWriting, .creating, .notFollowingLinks])
            if try System.lock(file.raw) {
                // The previous holder may have removed the file between `open` and `lock`.
                guard try System.isFile(file.raw, at: path) else { continue }
                self.path = path
                self.file = file
                return
            }
            guard MonotonicClock.now() < deadline else { return nil }
            // Polled, because a blocking flock has no timeout.
            _ = try System.poll([], milliseconds: min(pause, Int(MonotonicClock.millisecondsLeft(until: deadline))))
            pause = min(2 * pause, 50)
        }
    }

    deinit {
        if (try? System.isFile(file.raw, at: path)) == true { try? System.unlink(path) }
        // Closing alone may release the lock late: a child has a copy of the descriptor until it executes its program.
        _ = flock(file.raw, LOCK_UN)
    }
}

extension System {
    /// Whether the path refers to the open file.
    fileprivate static func isFile(_ descriptor: CInt, at path: String) throws(SystemError) -> Bool {
        guard let there = try status(at: path) else { return false }
        return there.isSameFile(as: try status(of: descriptor))
    }
}
