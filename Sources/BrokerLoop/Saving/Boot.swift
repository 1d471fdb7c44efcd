import PasteboardTransport
import PasteboardWire

/// One boot of the machine.
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
    /// Adapts contents of an earlier boot: converts their times, and removes the writer, its promises, the change count
    /// and the epoch. The count could be above all counts of this boot, which begin at the time since the start of the
    /// machine.
    mutating func move(to boot: Boot) {
        guard bootID == nil || bootID != boot.id else { return }
        let now = boot.startedAt()
        let before = bootedAt ?? now
        func moved(_ time: UInt64) -> UInt64 {
            let time = time.addingClamped(before)
            return time - min(time, now)
        }
        // A wrong wall clock must not extend the remaining time beyond the original one.
        let lifetime = (expiresAt ?? 0) - min(expiresAt ?? 0, committedAt ?? 0)
        let latest = (MonotonicClock.bootMicroseconds() / 1_000).addingClamped(lifetime)
        expiresAt = expiresAt.map { min(moved($0), latest) }
        committedAt = committedAt.map(moved)
        (ownerProcess, ownerIdentity, changeCount, epoch) = (nil, nil, nil, nil)
        for index in items.indices { items[index].representations.removeAll { $0.provision != .kept } }
        items.removeAll { $0.representations.isEmpty }
    }
}
