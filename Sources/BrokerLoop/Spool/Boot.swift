import PasteboardTransport
import PasteboardWire

/// A start of the machine.
package struct Boot: Sendable {
    /// Different for each start; nil if it is unknown.
    package let id: String?
    /// The time of the start in milliseconds since 1970. It changes if somebody sets the clock.
    package let startedAt: @Sendable () -> UInt64

    package init(id: String?, startedAt: @escaping @Sendable () -> UInt64) {
        self.id = id
        self.startedAt = startedAt
    }

    package static func current() -> Boot {
        Boot(id: try? System.bootID()) {
            let (now, since) = (WallClock.microseconds(), MonotonicClock.bootMicroseconds())
            return (now - min(now, since)) / 1_000
        }
    }
}

extension SavedContents {
    /// Changes contents so that they are true after another start of the machine: times are counted from it, and their
    /// writer and its promises have ended.
    mutating func move(to boot: Boot) {
        guard bootID == nil || bootID != boot.id else { return }
        let now = boot.startedAt()
        let before = bootedAt ?? now
        func moved(_ time: UInt64) -> UInt64 {
            let time = time.addingClamped(before)
            return time - min(time, now)
        }
        // If a clock was wrong, they do not live longer than they were to live.
        let lifetime = (expiresAt ?? 0) - min(expiresAt ?? 0, committedAt ?? 0)
        let latest = (MonotonicClock.bootMicroseconds() / 1_000).addingClamped(lifetime)
        expiresAt = expiresAt.map { min(moved($0), latest) }
        committedAt = committedAt.map(moved)
        (ownerProcess, ownerIdentity) = (nil, nil)
        for index in items.indices { items[index].representations.removeAll { $0.provision != .kept } }
        items.removeAll { $0.representations.isEmpty }
    }
}
