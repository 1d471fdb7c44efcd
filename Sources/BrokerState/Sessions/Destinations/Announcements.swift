import PasteboardWire

/// Bytes of drag sessions that are announced to one peer.
///
/// The bytes that are announced before the peer answers, including those of sessions that have ended since, must not
/// exceed the number that the peer may leave unread.
struct Announcements: Sendable {
    private static let limit: UInt64 = 512 << 10

    /// Bytes of any kind that the peer has not read.
    var unread: UInt64
    /// Bytes that were announced since the peer last answered for a session or had read everything, and the time of the
    /// last announcement.
    private var announced: UInt64 = 0
    private var announcedAt: UInt64 = 0

    init(unread: UInt64) { self.unread = unread }

    /// The peer has answered a question about a session.
    mutating func answered() { announced = 0 }

    /// Counts an announcement.
    ///
    /// - Parameter delay: the time after the last announcement at which a peer that has read everything may be sent
    ///   more.
    /// - Returns: false if the peer has to answer or read before more is announced.
    mutating func announce(_ count: UInt64, at now: UInt64, delay: UInt64) -> Bool {
        let hasReadAll = unread == 0 && now - announcedAt >= delay
        let before = hasReadAll ? 0 : announced
        let total = before.addingClamped(count)
        guard total <= Self.limit || before == 0 else { return false }
        announced = total
        announcedAt = now
        return true
    }
}
