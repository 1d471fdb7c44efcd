import Glibc

/// The lock that a broker holds for life: who has it owns the socket's path.
///
/// The file is never removed, or two brokers could hold locks of one name. The kernel releases the lock when its owner
/// ends, in whatever way.
package struct LifeLock: ~Copyable, Sendable {
    private let file: OwnedDescriptor

    /// Takes the lock, or throws `held` at once. It is released when this value goes.
    package init(of place: SocketPlace) throws(PlaceError) {
        do throws(SystemError) {
            let file = try System.openLock(place.lifeLock)
            if try System.lock(file.raw) {
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

    deinit {
        System.unlock(file.raw)
    }

    /// The process that wrote its number last.
    package static func holder(of place: SocketPlace) -> CInt? {
        guard let text = try? System.contents(of: place.lifeLock, limit: 32) else { return nil }
        return CInt(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// The lock that a client holds while it starts a broker, so that others wait for that one instead of starting more.
package struct StartLock: ~Copyable, Sendable {
    private let file: OwnedDescriptor

    /// Takes the lock, waiting until `deadline` (see `MonotonicClock`), then throws `held`.
    package init(of place: SocketPlace, deadline: UInt64) throws(PlaceError) {
        do throws(SystemError) {
            let file = try System.openLock(place.startLock)
            // A blocking flock knows no deadline.
            var pause = 1
            repeat {
                if try System.lock(file.raw) {
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

    deinit {
        System.unlock(file.raw)
    }
}

extension System {
    fileprivate static func openLock(_ path: String) throws(SystemError) -> OwnedDescriptor {
        try open(path, [.readingAndWriting, .creating, .notFollowingLinks])
    }

    /// Closing alone would not do at once: a child has a copy of the descriptor until it executes its program.
    fileprivate static func unlock(_ descriptor: CInt) {
        _ = flock(descriptor, LOCK_UN)
    }
}
