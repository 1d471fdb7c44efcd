import PasteboardWire

/// The bytes that the driver holds for a peer: frames that the peer has not read, and an incomplete frame from it.
///
/// Bytes of loads do not count. They have a separate pool, and a destination may leave them unread.
struct Backlog: BitwiseCopyable {
    private(set) var unread: UInt64 = 0
    private var partial: UInt64 = 0
    /// The time since which the peer has read nothing while its requests wait for that; nil if they do not wait.
    private var unreadSince: UInt64?
    /// The time at which the last bytes of the incomplete frame arrived; nil if there is none.
    private var partialSince: UInt64?

    var count: UInt64 { unread + partial }

    mutating func setUnread(_ count: Int, isHeldUp: Bool, hasRead: Bool, at now: UInt64) {
        unread = UInt64(clamping: count)
        unreadSince = !isHeldUp ? nil : hasRead ? now : unreadSince ?? now
    }

    mutating func setPartial(_ count: Int, at now: UInt64) {
        partial = UInt64(clamping: count)
        partialSince = count > 0 ? now : nil
    }

    func deadline(after timeout: UInt64) -> UInt64? {
        guard let first = unreadSince ?? partialSince else { return nil }
        return min(first, partialSince ?? first).addingClamped(timeout)
    }
}
