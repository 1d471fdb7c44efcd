import PasteboardWire

/// A limited resource that processes share, such as the named pasteboards or the kept bytes.
///
/// The first units of each account come from a reserve, which is used for nothing else. So a process that needs little
/// finds room, however many others have taken as much as they could. An account shares the rest with the other accounts
/// that need more than their first units: see ``Rule``.
///
/// Contents of ended processes do not reduce the room of the living. If both together exceed the limit, those of ended
/// processes are evicted.
struct Pool: BitwiseCopyable, Sendable {
    /// The part of what is free in the shared part that one account may take.
    enum Rule: BitwiseCopyable, Sendable {
        /// The share rule of dbus-broker, here between processes instead of users. An account that holds `s` may take
        /// `c` more of the `r` free units if `(n + 1)(s + c) - s <= r`, where n accounts share. The k-th account that
        /// takes all it may gets 1/(k(k + 1)) of the shared part; n that grow side by side get about 1/n each.
        case fairShare
        /// All but an eighth of the account's own and the free units. A user may give almost all connections to one
        /// program.
        case allButAnEighth
    }

    /// Why an account holds units.
    enum Holder: BitwiseCopyable, Sendable {
        /// A process that is connected, or whose contents are being loaded.
        case living
        /// A process that has ended: what it has left may be evicted.
        case ended
        /// No process: units of this account are always granted and use nothing of the pool.
        case outside
    }

    let limit: UInt64
    private let reserve: UInt64
    private let firstUnits: UInt64
    private let rule: Rule

    /// The units of all accounts.
    private(set) var total: UInt64 = 0
    /// The units of ended processes.
    private(set) var evictable: UInt64 = 0
    /// The first units of living processes.
    private var first: UInt64 = 0
    /// The other units of living processes.
    private var shared: UInt64 = 0
    /// The number of living processes that have others than first units.
    private var sharers: UInt64 = 0

    /// - Parameters:
    ///   - part: the reserve is the limit divided by this.
    ///   - firstUnits: the units of each account that come from the reserve. If the reserve is small, there are fewer,
    ///     so that a few accounts do not use it up.
    init(_ limit: UInt64, reservingPart part: UInt64, firstUnits: UInt64, _ rule: Rule = .fairShare) {
        self.limit = limit
        self.rule = rule
        reserve = limit / part
        self.firstUnits = min(firstUnits, max(1, reserve / 16))
    }

    /// Whether eviction would free something that is missing.
    ///
    /// - Parameter pending: units of the total that evict nothing.
    func isExceeded(withoutPending pending: UInt64 = 0) -> Bool {
        let used = first.addingClamped(shared).addingClamped(evictable)
        return used - min(used, pending) > limit
    }

    // MARK: Room

    @inline(__always)
    func allows(_ count: UInt64, holding held: UInt64) -> Bool {
        if held.addingClamped(count) <= firstUnits, first.addingClamped(count) <= reserve { return true }
        return count <= room(holding: held)
    }

    /// The number of units that a living account may take in addition to those that it holds.
    @inline(never)
    func room(holding held: UInt64) -> UInt64 {
        let ownFirst = min(held, firstUnits)
        let own = held - ownFirst
        let inReserve = reserve - min(reserve, first)
        // Once the reserve is used up, first units come from the shared part, as long as that has any.
        let used = shared.addingClamped(first - min(reserve, first))
        let free = limit - reserve - min(limit - reserve, used)
        let asFirst = min(firstUnits - ownFirst, inReserve.addingClamped(free))
        let rest = free - (asFirst - min(asFirst, inReserve))
        switch rule {
        case .fairShare:
            let accounts = own > 0 ? sharers : sharers + 1
            let share = rest.addingClamped(own) / (accounts + 1)
            return asFirst.addingClamped(share - min(share, own))
        case .allButAnEighth:
            return asFirst.addingClamped(rest - min(rest, own.addingClamped(rest) / 8))
        }
    }

    // MARK: Changes

    @inline(__always)
    mutating func add(_ count: UInt64, to held: inout UInt64, of holder: Holder) {
        total += count
        change(held, to: held + count, of: holder)
        held += count
    }

    @inline(__always)
    mutating func subtract(_ count: UInt64, from held: inout UInt64, of holder: Holder) {
        total -= count
        change(held, to: held - count, of: holder)
        held -= count
    }

    /// An account that holds units becomes another kind of holder.
    mutating func move(_ held: UInt64, from old: Holder, to new: Holder) {
        change(held, to: 0, of: old)
        change(0, to: held, of: new)
    }

    @inline(__always)
    private mutating func change(_ before: UInt64, to after: UInt64, of holder: Holder) {
        switch holder {
        case .living:
            let (firstBefore, firstAfter) = (min(before, firstUnits), min(after, firstUnits))
            first = first - firstBefore + firstAfter
            guard before > firstUnits || after > firstUnits else { return }
            shared = shared - (before - firstBefore) + (after - firstAfter)
            if before <= firstUnits { sharers += 1 }
            if after <= firstUnits { sharers -= 1 }
        case .ended:
            evictable = evictable - before + after
        case .outside:
            break
        }
    }
}
