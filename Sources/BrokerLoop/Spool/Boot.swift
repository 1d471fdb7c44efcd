import PasteboardTransport
import PasteboardWire

/// A start of the machine.
package struct Boot: Sendable {
    /// Different for each start; nil if it is unknown.
    package let id: String?
    /// In milliseconds since 1970.
    package let startedAt: UInt64

    package init(id: String?, startedAt: UInt64) {
        self.id = id
        self.startedAt = startedAt
    }

    package static func current() -> Boot {
        let (now, since) = (WallClock.microseconds(), MonotonicClock.bootMicroseconds())
        return Boot(id: try? System.bootID(), startedAt: (now - min(now, since)) / 1_000)
    }
}

extension SavedContents {
    /// Changes contents so that they are true after another start of the machine: times are counted from it, and their
    /// writer and its promises have ended.
    mutating func move(to boot: Boot) {
        guard bootID == nil || bootID != boot.id else { return }
        let before = bootedAt ?? boot.startedAt
        func moved(_ time: UInt64) -> UInt64 {
            let time = time.addingClamped(before)
            return time - min(time, boot.startedAt)
        }
        expiresAt = expiresAt.map(moved)
        committedAt = committedAt.map(moved)
        (ownerProcess, ownerIdentity) = (nil, nil)
        for index in items.indices { items[index].representations.removeAll { $0.provision != .kept } }
        items.removeAll { $0.representations.isEmpty }
    }
}
