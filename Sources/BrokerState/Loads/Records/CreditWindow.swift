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
    /// The room that every load has.
    static let smallest: UInt64 = 4 << 10

    /// The bytes that the destination allows.
    private(set) var credit: UInt64
    /// The bytes that the source may send.
    private(set) var granted: UInt64 = 0
    private(set) var received: UInt64 = 0
    /// The bytes that the destination's socket has taken.
    private(set) var delivered: UInt64 = 0
    /// The load's part of the transfer pool, until it is over.
    private(set) var size = Self.smallest

    init(credit: UInt64) {
        self.credit = credit
    }

    /// Whether the source has sent all that it may send.
    var isUsedUp: Bool { received == granted }

    var isDelivered: Bool { delivered == received }

    /// The bytes by which a larger window would be of use; nil if it would not.
    ///
    /// - Parameter available: the number of bytes that exist; the greatest number if it is unknown.
    func wanted(of available: UInt64) -> UInt64? {
        let most = granted == 0 ? Self.initial : Self.largest
        guard size < most else { return nil }
        let useful = min(credit, available)
        let wanted = min(most, useful - min(useful, delivered))
        return wanted > size ? wanted - size : nil
    }

    // MARK: Events

    /// Handles a credit of the destination. False if it allows nothing new.
    mutating func allow(_ offset: UInt64) -> Bool {
        guard offset > credit else { return false }
        credit = offset
        return true
    }

    mutating func widen(by count: UInt64) {
        size += count
    }

    /// Makes the first grant.
    ///
    /// - Returns: the bytes granted.
    mutating func open(available: UInt64) -> UInt64 {
        granted = min(credit, available, size)
        return granted
    }

    /// Grants more, once that is worth a frame. False if it is not yet.
    mutating func grow(available: UInt64) -> Bool {
        let allowed = min(credit, available)
        let target = min(allowed, delivered.addingClamped(size))
        // Half a window at a time; less only if that is all the destination allows, or if the source has no credit
        // left.
        guard target > granted, target - granted >= size / 2 || target == allowed || isUsedUp else { return false }
        granted = target
        return true
    }

    mutating func receive(_ count: UInt64) {
        received += count
    }

    mutating func deliver(_ count: UInt64) {
        delivered += min(count, received - min(received, delivered))
    }

    /// Takes back the unused part of the grant: no more bytes may arrive.
    mutating func close() {
        granted = received
    }
}
