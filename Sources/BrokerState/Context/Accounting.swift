import PasteboardWire

/// The accounts of processes. Each object that the broker holds for a process has a `Charge` to the process's account,
/// which is released with the object. When nobody is connected and nothing is kept, all sums are zero.
///
/// One faulty program must not lock out the others. The part of a pool that an account may take depends on the free
/// part and on the number of accounts: each of n accounts gets between 1/n and 1/n² of the pool, and a newcomer always
/// finds room. This is the share rule of dbus-broker, here between processes instead of users.
///
/// The rule applies to objects that end with their process. A user may give almost all connections or all kept memory
/// to one program, so of these a process only has to leave an eighth to the others: see `room`.
///
/// A process without connections counts as ended. The contents that it has left do not reduce the room of others: they are
/// evicted when another process needs it. The share rule counts only the other accounts.
package struct Accounting: ~Copyable, Sendable {
    package typealias AccountID = SlotTable<Account>.ID

    package struct Account: ~Copyable, Sendable {
        package let process: ProcessKey
        var connections: UInt64 = 0
        var held = Amount()
        var kept = Kept()
        /// Bytes that the driver holds for its connections.
        var queued: UInt64 = 0
        /// The running loads of contents that the writer has left, or that only loads hold.
        var orphanLoads: UInt64 = 0
        /// The place of the process in the order in which processes have ended.
        var end: UInt64 = 0

        var isUnused: Bool { connections == 0 && held == Amount() && kept == Kept() && orphanLoads == 0 }
        /// Whether the process has no connection, and no load of its contents is running. They may then be evicted.
        var isEvictable: Bool { connections == 0 && orphanLoads == 0 }
    }

    /// Objects, and bytes of names and types.
    package struct Amount: Sendable, Equatable {
        package var objects: UInt64 = 0
        package var metadata: UInt64 = 0

        package init(objects: UInt64 = 0, metadata: UInt64 = 0) {
            self.objects = objects
            self.metadata = metadata
        }
    }

    /// Objects that outlive their process: kept representations, their bytes, and the boards that they are on.
    package struct Kept: Sendable, Equatable {
        package var boards: UInt64 = 0
        package var representations: UInt64 = 0
        package var bytes: UInt64 = 0
    }

    package private(set) var held = Amount()
    package private(set) var kept = Kept()
    /// The part of `kept` that may be evicted.
    package private(set) var evictable = Kept()
    /// The part of `held` that may be evicted.
    private var evictableHeld = Amount()
    private var evictableCount = 0
    package private(set) var queued: UInt64 = 0
    private var ends: UInt64 = 0
    package private(set) var accounts = SlotTable<Account>()
    /// The accounts by process, in ascending order. Not a dictionary: to create the type of a dictionary, the runtime
    /// searches all conformances of the program, which takes about a fifth of the instructions of a start.
    private var accountsByProcess: [(process: ProcessKey, account: AccountID)] = []
    private let pool: Amount
    private let keptPool: Kept

    package init(limits: BrokerLimits) {
        pool = Amount(objects: limits.objects, metadata: limits.metadata)
        keptPool = Kept(
            boards: limits.boards,
            representations: limits.keptRepresentations,
            bytes: limits.keptPool
        )
    }

    /// Finds or opens the account of a process for one more connection. Throws if the process has `limit` connections,
    /// or if the remaining `free` ones are reserved for others.
    mutating func connect(_ process: ProcessKey, limit: UInt64, free: UInt64) throws(Failure) -> AccountID {
        let index = index(of: process)
        if index == accountsByProcess.count || accountsByProcess[index].process != process {
            accountsByProcess.insert((process, accounts.insert(Account(process: process))), at: index)
            evictableCount += 1
        }
        let account = accountsByProcess[index].account
        guard let slot = accounts.find(account) else { return account }
        let connections = accounts[slot].connections
        guard connections < limit, Self.room(holding: connections, free: free) > 0 else {
            closeIfUnused(slot)
            let reason =
                connections < limit
                ? "the last \(free) of limit connections are reserved for other processes"
                : "limit connections-per-process is \(limit)"
            throw Failure(
                .limitExceeded,
                "process \(process.pid) has \(connections) connections; \(reason)"
            )
        }
        change(slot) { $0.connections += 1 }
        return account
    }

    mutating func disconnect(_ account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        ends += 1
        let end = ends
        change(slot) {
            $0.connections -= 1
            $0.end = end
        }
        closeIfUnused(slot)
    }

    /// Changes an account in a way that may start or end its being evictable.
    private mutating func change(_ slot: SlotTable<Account>.Slot, _ body: (inout Account) -> Void) {
        if accounts[slot].isEvictable {
            evictableCount -= 1
            evictable.subtract(accounts[slot].kept)
            evictableHeld.subtract(accounts[slot].held)
        }
        body(&accounts[slot])
        if accounts[slot].isEvictable {
            evictableCount += 1
            evictable.add(accounts[slot].kept)
            evictableHeld.add(accounts[slot].held)
        }
    }

    @inline(__always)
    mutating func charge(_ account: AccountID, _ amount: Amount, for what: String) throws(Failure) -> Charge {
        guard let slot = accounts.find(account) else { return Charge(account: account, amount: Amount()) }
        let objects = Share(
            own: accounts[slot].held.objects,
            wanted: amount.objects,
            held: held.objects - evictableHeld.objects,
            pool: pool.objects
        )
        try check(objects, of: "objects", slot, what)
        let metadata = Share(
            own: accounts[slot].held.metadata,
            wanted: amount.metadata,
            held: held.metadata - evictableHeld.metadata,
            pool: pool.metadata
        )
        if amount.metadata > 0 { try check(metadata, of: "metadata", slot, what) }
        held.add(amount)
        accounts[slot].held.add(amount)
        if accounts[slot].isEvictable { evictableHeld.add(amount) }
        return Charge(account: account, amount: amount)
    }

    /// Increases a charge. Throws without a change if that is too much.
    mutating func raise(_ charge: inout Charge, by amount: Amount, for what: String) throws(Failure) {
        let more = try self.charge(charge.account, amount, for: what)
        charge.amount.add(more.amount)
    }

    @inline(__always)
    mutating func release(_ charge: Charge) {
        held.subtract(charge.amount)
        guard let slot = accounts.find(charge.account) else { return }
        accounts[slot].held.subtract(charge.amount)
        if accounts[slot].isEvictable { evictableHeld.subtract(charge.amount) }
        closeIfUnused(slot)
    }

    @inline(__always)
    private mutating func closeIfUnused(_ slot: SlotTable<Account>.Slot) {
        if accounts[slot].isUnused { close(slot) }
    }

    private mutating func close(_ slot: SlotTable<Account>.Slot) {
        evictableCount -= 1
        accountsByProcess.remove(at: index(of: accounts[slot].process))
        accounts.remove(slot)
    }

    /// The index of a process's account, or the index at which it has to be inserted.
    private mutating func index(of process: ProcessKey) -> Int {
        var low = 0
        var high = accountsByProcess.count
        while low < high {
            let middle = (low + high) / 2
            if accountsByProcess[middle].process < process { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: Kept objects

    /// The maximum that an account that holds `own` may take of the `free` part.
    ///
    /// An eighth of the sum, rounded down, stays free for others: after a first account an eighth of the limit, after a
    /// second an eighth of that. Of a sum below 8 one account may take all. The share rule does not fit here: a program
    /// that copies a large file would get half of an empty pool, and almost nothing if many others hold a little.
    private static func room(holding own: UInt64, free: UInt64) -> UInt64 {
        free - min(free, own.addingClamped(free) / 8)
    }

    /// The maximum that an account may take of one resource.
    func room(for account: AccountID, of resource: (Kept) -> UInt64) -> UInt64 {
        let used = resource(kept) - resource(evictable)
        let free = resource(keptPool) - min(resource(keptPool), used)
        let own = accounts.find(account).map { resource(accounts[$0].kept) }
        return Self.room(holding: own ?? 0, free: free)
    }

    /// Charges kept objects to an account. The caller has checked that there is room, of which contents that may be evicted
    /// can occupy a part.
    mutating func keep(_ amount: Kept, for account: AccountID) {
        kept.add(amount)
        if let slot = accounts.find(account) { change(slot) { $0.kept.add(amount) } }
    }

    mutating func giveUp(_ amount: Kept, for account: AccountID) {
        kept.subtract(amount)
        guard let slot = accounts.find(account) else { return }
        change(slot) { $0.kept.subtract(amount) }
        closeIfUnused(slot)
    }

    // MARK: Eviction

    /// The kinds of objects of which there are more than the limits allow, until contents are evicted.
    struct Excess {
        let boards: Bool
        /// Kept representations or their bytes.
        let kept: Bool
        /// Objects or metadata.
        let held: Bool

        var isNone: Bool { !boards && !kept && !held }
    }

    /// - Parameter pending: kept objects of writes and cached loads that are not complete. They evict nothing.
    func excess(withoutPending pending: Kept = Kept()) -> Excess {
        Excess(
            boards: kept.boards > keptPool.boards,
            kept: kept.representations - pending.representations > keptPool.representations
                || kept.bytes - pending.bytes > keptPool.bytes,
            held: held.objects > pool.objects || held.metadata > pool.metadata
        )
    }

    /// Counts running loads of contents that outlive their writer's connection. Meanwhile none of the account's contents are
    /// evictable.
    mutating func addOrphanLoads(_ count: Int, of account: AccountID) {
        guard count > 0, let slot = accounts.find(account) else { return }
        change(slot) { $0.orphanLoads += UInt64(count) }
    }

    mutating func removeOrphanLoad(of account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        change(slot) { $0.orphanLoads -= 1 }
        closeIfUnused(slot)
    }

    /// The place in the order of ended processes; nil if the account's contents may not be evicted.
    func end(ofEvictable account: AccountID) -> UInt64? {
        guard let slot = accounts.find(account), accounts[slot].isEvictable else { return nil }
        return accounts[slot].end
    }

    // MARK: Queued bytes

    mutating func queue(_ count: UInt64, insteadOf before: UInt64, for account: AccountID) {
        queued = queued - before + count
        guard let slot = accounts.find(account) else { return }
        accounts[slot].queued = accounts[slot].queued - before + count
    }

    /// The account with the most queued bytes.
    var mostQueued: AccountID? {
        var most: SlotTable<Account>.Slot?
        var cursor: SlotTable<Account>.Slot?
        while let slot = accounts.next(after: cursor) {
            cursor = slot
            if most.map({ accounts[slot].queued > accounts[$0].queued }) ?? true { most = slot }
        }
        return most.map { accounts.id(of: $0) }
    }

    // MARK: The share rule

    /// A request of an account for one resource. Plain numbers and not key paths, because every load makes two.
    private struct Share {
        let own: UInt64
        let wanted: UInt64
        let held: UInt64
        let pool: UInt64

        /// (n + 1)(own + wanted) - own <= left, without overflow.
        func isFair(among accounts: Int) -> Bool {
            let left = pool - min(pool, held)
            let (sum, sumOverflows) = own.addingReportingOverflow(wanted)
            let (share, shareOverflows) = sum.multipliedReportingOverflow(by: UInt64(accounts) + 1)
            return wanted == 0 || (!sumOverflows && !shareOverflows && share - own <= left)
        }
    }

    @inline(__always)
    private mutating func check(
        _ share: Share,
        of name: String,
        _ holder: SlotTable<Account>.Slot,
        _ what: String
    ) throws(Failure) {
        guard share.isFair(among: accounts.count - evictableCount) else {
            throw Failure(
                .limitExceeded,
                "\(what): process \(accounts[holder].process.pid) holds \(share.own) \(name) and asks for \(share.wanted) more; "
                    + "its share of limit \(name)=\(share.pool) does not allow it"
            )
        }
    }
}

extension Accounting.Amount {
    @inline(__always)
    fileprivate mutating func add(_ other: Self) {
        objects += other.objects
        metadata += other.metadata
    }

    @inline(__always)
    fileprivate mutating func subtract(_ other: Self) {
        objects -= other.objects
        metadata -= other.metadata
    }
}

extension Accounting.Kept {
    fileprivate mutating func add(_ other: Self) {
        boards += other.boards
        representations += other.representations
        bytes += other.bytes
    }

    fileprivate mutating func subtract(_ other: Self) {
        boards -= other.boards
        representations -= other.representations
        bytes -= other.bytes
    }
}

/// The cost of one object and its account. Stored with the object, and released exactly once, when the object is
/// removed.
package struct Charge: Sendable {
    let account: Accounting.AccountID
    fileprivate(set) var amount = Accounting.Amount()

    /// Adds the charge of another object of the same account.
    mutating func absorb(_ other: Charge) {
        amount.objects += other.amount.objects
        amount.metadata += other.amount.metadata
    }
}

/// The identity of a process, unique while this machine runs. A process id alone is reused.
package struct ProcessKey: Hashable, Comparable, Sendable {
    package let pid: UInt32
    package let identity: UInt64

    package init(pid: UInt32, identity: UInt64) {
        self.pid = pid
        self.identity = identity
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.identity, left.pid) < (right.identity, right.pid)
    }
}
