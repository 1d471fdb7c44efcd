import PasteboardWire

/// The flow of one load's bytes, as offsets from the start of the load:
///
///     delivered <= received <= granted <= credit
///
/// The source may be ahead of the destination's socket by at most the size of the window, so that the broker never
/// holds more than that for one load.
struct CreditWindow: BitwiseCopyable {
    static let initial: UInt64 = 256 << 10
    static let largest: UInt64 = 1 << 20
    static let smallest: UInt64 = 16 << 10

    /// The bytes that the destination allows.
    private(set) var credit: UInt64
    /// The bytes that the source may send.
    private(set) var granted: UInt64 = 0
    private(set) var received: UInt64 = 0
    /// The bytes that the destination's socket has taken.
    private(set) var delivered: UInt64 = 0
    private var size = Self.initial

    init(credit: UInt64) {
        self.credit = credit
    }

    /// Bytes that the source may send or that wait for the destination's socket: the load's part of the transfer pool.
    var outstanding: UInt64 { granted - min(granted, delivered) }

    /// Whether the source has sent all that it may send.
    var isUsedUp: Bool { received == granted }

    var isDelivered: Bool { delivered == received }

    /// The window that is fair while the destination's process has `room` in the transfer pool.
    private func fairSize(_ room: UInt64) -> UInt64 {
        room < Self.smallest ? 0 : max(Self.smallest, min(size, room / 8))
    }

    /// Whether the load stands still until there is room for it.
    func needsRoom(available: UInt64) -> Bool {
        outstanding == 0 && granted < min(credit, available)
    }

    // MARK: Events

    /// Handles a credit of the destination. False if it allows nothing new.
    mutating func allow(_ offset: UInt64) -> Bool {
        guard offset > credit else { return false }
        credit = offset
        return true
    }

    /// Makes the first grant.
    ///
    /// - Parameters:
    ///   - available: the number of bytes that exist; the greatest number if it is unknown.
    ///   - room: the bytes that the transfer pool has for the destination's process.
    /// - Returns: the bytes granted.
    mutating func open(available: UInt64, room: UInt64) -> UInt64 {
        granted = min(credit, available, fairSize(room))
        return granted
    }

    /// Grants more, once that is worth a frame.
    ///
    /// - Returns: the bytes granted in addition; nil if it is not worth a frame yet.
    mutating func grow(available: UInt64, room: UInt64) -> UInt64? {
        let allowed = min(credit, available)
        let size = fairSize(room)
        let target = min(allowed, delivered.addingClamped(size))
        guard target > granted else { return nil }
        let more = target - granted
        // Half a window at a time; less only if that is all the destination allows, or if the source has no credit
        // left.
        guard more >= size / 2 || target == allowed || isUsedUp else { return nil }
        granted = target
        self.size = Self.largest
        return more
    }

    mutating func receive(_ count: UInt64) {
        received += count
    }

    /// - Returns: the bytes that are delivered now and were not before.
    mutating func deliver(_ count: UInt64) -> UInt64 {
        let count = min(count, received - min(received, delivered))
        delivered += count
        return count
    }

    /// Takes back the unused part of the grant: no more bytes may arrive.
    ///
    /// - Returns: the bytes that were granted and have not arrived.
    mutating func close() -> UInt64 {
        let unused = granted - min(granted, received)
        granted = received
        return unused
    }
}
