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
    /// Whether the file is removed and unlocked here.
    private var isOwned = true

    var raw: CInt { file.raw }

    /// Acquires the lock. Returns nil if another process has it.
    init?(_ path: String) throws(SystemError) {
        while true {
            let file = try System.open(path, [.readingAndWriting, .creating, .notFollowingLinks])
            guard try System.lock(file.raw) else { return nil }
            // The previous holder may have removed the file between `open` and `lock`.
            guard try System.isFile(file.raw, at: path) else { continue }
            self.path = path
            self.file = file
            return
        }
    }

    /// Takes over a lock of another process, which passed the descriptor of the locked file.
    init(_ path: String, adopting file: consuming OwnedDescriptor) {
        self.path = path
        self.file = file
    }

    /// Leaves the file and its lock to another process that has the open file, too.
    mutating func abandon() {
        isOwned = false
    }

    deinit {
        guard isOwned else { return }
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
