import Glibc

/// The lock that a broker holds for its lifetime: its holder owns the socket's path.
///
/// The kernel releases the lock however the broker ends. A broker that ends normally removes the file first.
package struct LifeLock: ~Copyable, Sendable {
    private let file: LockFile

    /// Takes the lock, or throws `held` at once. It is released when this value goes.
    package init(of place: SocketPlace) throws(PlaceError) {
        try self.init(of: place, removing: nil)
    }

    /// - Parameter directory: removed with the lock, if nothing else is in it.
    private init(of place: SocketPlace, removing directory: String?) throws(PlaceError) {
        do throws(SystemError) {
            if let file = try LockFile(place.lifeLock, removing: directory) {
                try System.truncate(file.raw, to: 0)
                try System.write(Array("\(System.processID)\n".utf8).span, to: file.raw)
                self.file = file
                return
            }
        } catch {
            throw .system(error)
        }
        throw .held(lock: place.lifeLock, by: Self.holder(of: place))
    }

    /// Creates the directory if it is missing, and takes the lock in it. A directory that was created here, and that of the
    /// user's own place, is removed with the lock.
    static func take(preparing place: SocketPlace) throws(PlaceError) -> LifeLock {
        var isMade = false
        while true {
            do throws(PlaceError) {
                isMade = try place.prepareDirectory() || isMade
                return try LifeLock(of: place, removing: isMade || place.isWellKnown ? place.directory : nil)
            } catch {
                guard error.meansDirectoryGone else { throw error }
            }
        }
    }

    /// The process that wrote its number last.
    package static func holder(of place: SocketPlace) -> CInt? {
        guard let text = try? System.contents(of: place.lifeLock, limit: 32) else { return nil }
        return CInt(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// The lock that a client holds while it starts a broker, so that others wait for that one instead of starting more.
package struct StartLock: ~Copyable, Sendable {
    private let file: LockFile

    /// Takes the lock, waiting until `deadline` (see `MonotonicClock`), then throws `held`.
    package init(of place: SocketPlace, deadline: UInt64) throws(PlaceError) {
        do throws(SystemError) {
            // A blocking flock knows no deadline.
            var pause = 1
            repeat {
                if let file = try LockFile(place.startLock) {
                    self.file = file
                    return
                }
                _ = try System.poll([], milliseconds: min(pause, Int(MonotonicClock.millisecondsLeft(until: deadline))))
                pause = min(2 * pause, 50)
            } while MonotonicClock.now() < deadline
        } catch {
            throw .system(error)
        }
        throw .held(lock: place.startLock, by: nil)
    }

    /// Creates the directory if it is missing, and takes the lock in it.
    package static func take(preparing place: SocketPlace, deadline: UInt64) throws(PlaceError) -> StartLock {
        while true {
            do throws(PlaceError) {
                try place.prepareDirectory()
                return try StartLock(of: place, deadline: deadline)
            } catch {
                guard error.meansDirectoryGone else { throw error }
            }
        }
    }
}

extension PlaceError {
    /// Whether the directory is missing: another broker has ended and removed it after it was prepared.
    fileprivate var meansDirectoryGone: Bool {
        switch self {
        case .system(let error): error.errno == ENOENT
        case .unsafeDirectory(_, .missing): true
        default: false
        }
    }
}

/// A locked file, which is removed before it is unlocked.
///
/// Two processes never hold locks of one name: the file is removed only while it is locked, and a process that has locked
/// it checks that the name still refers to it.
///
/// Not private: other modules hold it inside the two locks, and a release build does not find a private type there.
package struct LockFile: ~Copyable, Sendable {
    private let path: String
    private let directory: String?
    private let file: OwnedDescriptor

    var raw: CInt { file.raw }

    /// Takes the lock. Returns nil if another process has it.
    ///
    /// - Parameter directory: removed with the file, if nothing else is in it.
    init?(_ path: String, removing directory: String? = nil) throws(SystemError) {
        while true {
            let file = try System.open(path, [.readingAndWriting, .creating, .notFollowingLinks])
            guard try System.lock(file.raw) else { return nil }
            // Otherwise the previous holder removed it between `open` and `lock`.
            guard try System.isFile(file.raw, at: path) else { continue }
            self.path = path
            self.directory = directory
            self.file = file
            return
        }
    }

    deinit {
        if (try? System.isFile(file.raw, at: path)) == true { try? System.unlink(path) }
        // Closing alone may release it late: a child has a copy of the descriptor until it executes its program.
        _ = flock(file.raw, LOCK_UN)
        if let directory { try? System.removeDirectory(directory) }
    }
}

extension System {
    /// Whether the path refers to the open file.
    fileprivate static func isFile(_ descriptor: CInt, at path: String) throws(SystemError) -> Bool {
        guard let there = try status(at: path) else { return false }
        return there.isSameFile(as: try status(of: descriptor))
    }
}
