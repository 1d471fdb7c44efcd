import PasteboardWire

/// A limited resource that processes share, such as the named pasteboards or the kept bytes.
///
/// An account may have *first units*, which come from a reserve that is used for nothing else, and a *share*: a half or
/// all but an eighth of what the others leave of the limit without the reserve. So a process that needs little finds
/// room, however many others have taken as much as they could; n processes that take halves side by side end with
/// 1/(n + 1) each.
///
/// Contents of ended processes do not reduce the room of the living. If both together exceed the limit, those of ended
/// processes are evicted.
struct Pool: BitwiseCopyable, Sendable {
    /// The part of what the others leave that one account may have.
    enum Share: BitwiseCopyable, Sendable {
        case half
        /// A user may give almost all connections to one program.
        case allButAnEighth
    }

    let limit: UInt64
    /// The limit without the reserve.
    private let shared: UInt64
    private let reserve: UInt64
    let firstUnits: UInt64
    private let share: Share

    /// The units of living processes.
    private var used: UInt64 = 0
    /// The first units among them.
    private var first: UInt64 = 0
    /// The units of ended processes. If they come back, the sum may exceed the limit, by the reserve at most.
    private(set) var evictable: UInt64 = 0

    /// - Parameters:
    ///   - part: the reserve is the limit divided by this.
    ///   - firstUnits: if the reserve is small, there are fewer, so that a few accounts do not use it up.
    init(_ limit: UInt64, reservingPart part: UInt64, firstUnits: UInt64, share: Share = .half) {
        let firstUnits = min(firstUnits, max(1, limit / part / 16), limit)
        reserve = max(limit / part, firstUnits)
        (self.limit, self.firstUnits, self.share) = (limit, firstUnits, share)
        shared = limit - reserve
    }

    /// A pool whose first units are there in any case.
    init(_ limit: UInt64, besideFirstUnits firstUnits: UInt64) {
        (self.limit, shared, reserve, self.firstUnits, share) = (limit, limit, .max, firstUnits, .half)
    }

    /// The units of all accounts.
    var total: UInt64 { used.addingClamped(evictable) }

    /// Whether eviction would free something that is missing.
    ///
    /// - Parameter pending: units of the total that evict nothing.
    func isExceeded(withoutPending pending: UInt64 = 0) -> Bool {
        total - min(total, pending) > limit
    }

    /// Whether a living account may take units in addition to those that it holds.
    @inline(__always)
    func allows(_ count: UInt64, holding held: UInt64) -> Bool {
        // In most cases they are first units.
        if held.addingClamped(count) <= firstUnits, first.addingClamped(count) <= reserve { return true }
        return count <= room(holding: held)
    }

    /// The number of units that a living account may take in addition to those that it holds.
    @inline(never)
    func room(holding held: UInt64) -> UInt64 {
        let ownFirst = min(held, firstUnits)
        let own = held - ownFirst
        let inReserve = reserve - min(reserve, first)
        // Once the reserve is used up, first units come from what is free of the rest.
        let taken = used - first + (first - min(reserve, first))
        let free = shared - min(shared, taken)
        let asFirst = min(firstUnits - ownFirst, inReserve.addingClamped(free))
        let left = (free - (asFirst - min(asFirst, inReserve))).addingClamped(own)
        let part = share == .half ? left >> 1 : left - left >> 3
        return asFirst.addingClamped(part - min(part, own))
    }

    /// Counts more units of an account that holds some.
    @inline(__always)
    mutating func add(_ count: UInt64, holding held: UInt64, isLiving: Bool) {
        guard isLiving else {
            evictable += count
            return
        }
        used += count
        if held < firstUnits { first += min(count, firstUnits - held) }
    }

    @inline(__always)
    mutating func subtract(_ count: UInt64, holding held: UInt64, isLiving: Bool) {
        guard isLiving else {
            evictable -= count
            return
        }
        used -= count
        let rest = held - count
        if rest < firstUnits { first -= min(held, firstUnits) - rest }
    }
}
