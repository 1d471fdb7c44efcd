import PasteboardWire

/// The accounts of processes. Each object that the broker holds for a process has a `Charge` to the process's account,
/// or is counted there by its resource, and is released with the object. When nobody is connected and nothing is kept,
/// all sums are zero.
///
/// One faulty program must not lock out the others, nor may many of them together: each resource is a ``Pool``, of
/// which an account may take only a share.
///
/// A process without connections counts as ended. The contents that it has left do not reduce the room of others: they
/// are evicted when another process needs it.
package struct Accounting: ~Copyable, Sendable {
    package typealias AccountID = SlotTable<Account>.ID

    package struct Account: ~Copyable, Sendable {
        package let process: ProcessKey
        fileprivate var isLiving = false
        package fileprivate(set) var held = Holdings()
        /// The cost of the input of its connections.
        package fileprivate(set) var cost = 0
        /// The loads whose destinations are its connections.
        fileprivate(set) var loads: UInt64 = 0
        /// The running loads of contents that the writer has left, or that only loads hold.
        fileprivate(set) var orphanLoads: UInt64 = 0
        /// The place of the process in the order in which processes have ended.
        fileprivate(set) var end: UInt64 = 0

        fileprivate init(process: ProcessKey) { self.process = process }

        fileprivate var isUnused: Bool { held[.connections] == 0 && orphanLoads == 0 && held.isEmpty }
    }

    /// The resources of which each process may take a share.
    package enum Resource: Int, Sendable {
        /// Items, representations, loads and so on.
        case objects
        /// Bytes of names and types.
        case metadata
        case connections
        // These outlive their process: boards with contents, and the representations and bytes that are kept for them.
        case boards
        case keptRepresentations
        case keptBytes
        case sessions
        case destinations
        case watches
        /// The windows of the loads whose destinations are its connections.
        case transfer
        /// Bytes that the driver holds for its connections. They are there before anybody can refuse them: see
        /// `Peers.overfull`.
        case queued
    }

    /// The units of each resource that an account holds.
    package struct Holdings: BitwiseCopyable, Sendable {
        private var units = InlineArray<11, UInt64>(repeating: 0)

        package fileprivate(set) subscript(_ resource: Resource) -> UInt64 {
            @inline(__always) get { units[resource.rawValue] }
            @inline(__always) set { units[resource.rawValue] = newValue }
        }

        fileprivate var isEmpty: Bool { units.indices.allSatisfy { units[$0] == 0 } }
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

    private var ends: UInt64 = 0
    package private(set) var accounts = SlotTable<Account>()
    /// The accounts by process, in ascending order. Not a dictionary: to create the type of a dictionary, the runtime
    /// searches all conformances of the program, which takes about a fifth of the instructions of a start.
    private var accountsByProcess: [(process: ProcessKey, account: AccountID)] = []
    private var pools: InlineArray<11, Pool>

    package init(limits: BrokerLimits) {
        // In the order of `Resource`. The article HowItWorks has the same table.
        pools = [
            Pool(limits.objects, reservingPart: 4, firstUnits: 256),
            Pool(limits.metadata, reservingPart: 4, firstUnits: 72 << 10),
            Pool(limits.connections, reservingPart: 8, firstUnits: 2, share: .allButAnEighth),
            Pool(limits.boards, reservingPart: 4, firstUnits: 1),
            Pool(limits.keptRepresentations, reservingPart: 4, firstUnits: 4),
            Pool(limits.keptPool, reservingPart: 8, firstUnits: 1 << 20),
            Pool(limits.sessions, reservingPart: 4, firstUnits: 1),
            Pool(limits.destinations, reservingPart: 4, firstUnits: 1),
            Pool(limits.watches, reservingPart: 4, firstUnits: 1),
            Pool(limits.transferPool, besideFirstUnits: max(16 << 10, min(256 << 10, limits.transferPool / 256))),
            Pool(limits.controlPool, besideFirstUnits: 0),
        ]
    }

    // MARK: Connections

    /// Finds or opens the account of a process for one more connection. Throws if the process has `limit` connections,
    /// or if the remaining ones are reserved for others.
    mutating func connect(_ process: ProcessKey, limit: UInt64) throws(Failure) -> AccountID {
        let account = open(process)
        guard let slot = accounts.find(account) else { return account }
        let connections = accounts[slot].held[.connections]
        guard connections < limit, room(for: account, of: .connections) > 0 else {
            closeIfUnused(slot)
            let reason =
                connections < limit
                ? "the rest of limit connections is reserved for other processes"
                : "limit connections-per-process is \(limit)"
            throw Failure(.limitExceeded, "process \(process.pid) has \(connections) connections; \(reason)")
        }
        add(1, of: .connections, to: slot)
        updateHolder(slot)
        return account
    }

    /// Finds or opens the account of a process.
    mutating func open(_ process: ProcessKey) -> AccountID {
        let index = index(of: process)
        if index == accountsByProcess.count || accountsByProcess[index].process != process {
            accountsByProcess.insert((process, accounts.insert(Account(process: process))), at: index)
        }
        return accountsByProcess[index].account
    }

    mutating func disconnect(_ account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        ends += 1
        accounts[slot].end = ends
        subtract(1, of: .connections, from: slot)
        updateHolder(slot)
        closeIfUnused(slot)
    }

    /// A process counts as ended when it has no connection and no load of its contents is running. They may then be
    /// evicted.
    private mutating func updateHolder(_ slot: SlotTable<Account>.Slot) {
        let isLiving = accounts[slot].held[.connections] > 0 || accounts[slot].orphanLoads > 0
        guard accounts[slot].isLiving != isLiving else { return }
        accounts[slot].isLiving = isLiving
        for index in pools.indices {
            guard let resource = Resource(rawValue: index) else { continue }
            let held = accounts[slot].held[resource]
            pools[index].subtract(held, holding: held, isLiving: !isLiving)
            pools[index].add(held, holding: 0, isLiving: isLiving)
        }
    }

    @inline(__always)
    private mutating func closeIfUnused(_ slot: SlotTable<Account>.Slot) {
        if accounts[slot].isUnused { close(slot) }
    }

    private mutating func close(_ slot: SlotTable<Account>.Slot) {
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

    mutating func spend(_ cost: Int, by account: AccountID) {
        if let slot = accounts.find(account) { accounts[slot].cost += cost }
    }

    // MARK: Charges

    @inline(__always)
    mutating func charge(_ account: AccountID, _ amount: Amount, for what: String) throws(Failure) -> Charge {
        guard let slot = accounts.find(account) else { return Charge(account: account, amount: Amount()) }
        guard allows(amount.objects, of: .objects, to: slot) else {
            throw refusal(amount.objects, of: .objects, "objects", to: slot, what)
        }
        if amount.metadata > 0 {
            guard allows(amount.metadata, of: .metadata, to: slot) else {
                throw refusal(amount.metadata, of: .metadata, "metadata", to: slot, what)
            }
            add(amount.metadata, of: .metadata, to: slot)
        }
        add(amount.objects, of: .objects, to: slot)
        return Charge(account: account, amount: amount)
    }

    /// Charges what was admitted in an earlier lifetime of the broker, whatever the limits are now.
    mutating func grant(_ amount: Amount, to account: AccountID) -> Charge {
        guard let slot = accounts.find(account) else { return Charge(account: account, amount: Amount()) }
        add(amount.objects, of: .objects, to: slot)
        add(amount.metadata, of: .metadata, to: slot)
        return Charge(account: account, amount: amount)
    }

    /// Increases a charge. Throws without a change if that is too much.
    mutating func raise(_ charge: inout Charge, by amount: Amount, for what: String) throws(Failure) {
        let more = try self.charge(charge.account, amount, for: what)
        charge.amount.objects += more.amount.objects
        charge.amount.metadata += more.amount.metadata
    }

    /// Releases a part of a charge.
    mutating func lower(_ charge: inout Charge, by amount: Amount) {
        let part = Amount(
            objects: min(amount.objects, charge.amount.objects),
            metadata: min(amount.metadata, charge.amount.metadata)
        )
        charge.amount.objects -= part.objects
        charge.amount.metadata -= part.metadata
        release(Charge(account: charge.account, amount: part))
    }

    @inline(__always)
    mutating func release(_ charge: Charge) {
        guard let slot = accounts.find(charge.account) else { return }
        subtract(charge.amount.objects, of: .objects, from: slot)
        if charge.amount.metadata > 0 { subtract(charge.amount.metadata, of: .metadata, from: slot) }
        closeIfUnused(slot)
    }

    @inline(never)
    private func refusal(
        _ count: UInt64,
        of resource: Resource,
        _ name: String,
        to slot: SlotTable<Account>.Slot,
        _ what: String
    ) -> Failure {
        Failure(
            .limitExceeded,
            "\(what): process \(accounts[slot].process.pid) holds \(accounts[slot].held[resource]) \(name) and asks for "
                + "\(count) more; its share of limit \(name)=\(pools[resource.rawValue].limit) does not allow it"
        )
    }

    // MARK: Resources

    /// The units that all accounts hold.
    package func total(of resource: Resource) -> UInt64 { pools[resource.rawValue].total }

    /// The units that ended processes have left. They may be evicted.
    package func evictable(of resource: Resource) -> UInt64 { pools[resource.rawValue].evictable }

    func held(by account: AccountID, of resource: Resource) -> UInt64 {
        guard let slot = accounts.find(account) else { return 0 }
        return accounts[slot].held[resource]
    }

    /// The maximum that an account may take of one resource.
    func room(for account: AccountID, of resource: Resource) -> UInt64 {
        pools[resource.rawValue].room(holding: held(by: account, of: resource))
    }

    /// Counts units for an account. The caller has checked that there is room, of which contents that may be evicted
    /// can occupy a part.
    mutating func acquire(_ count: UInt64 = 1, of resource: Resource, for account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        add(count, of: resource, to: slot)
    }

    mutating func release(_ count: UInt64 = 1, of resource: Resource, for account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        subtract(count, of: resource, from: slot)
        closeIfUnused(slot)
    }

    @inline(__always)
    private func allows(_ count: UInt64, of resource: Resource, to slot: SlotTable<Account>.Slot) -> Bool {
        pools[resource.rawValue].allows(count, holding: accounts[slot].held[resource])
    }

    @inline(__always)
    private mutating func add(_ count: UInt64, of resource: Resource, to slot: SlotTable<Account>.Slot) {
        let held = accounts[slot].held[resource]
        pools[resource.rawValue].add(count, holding: held, isLiving: accounts[slot].isLiving)
        accounts[slot].held[resource] += count
    }

    @inline(__always)
    private mutating func subtract(_ count: UInt64, of resource: Resource, from slot: SlotTable<Account>.Slot) {
        let held = accounts[slot].held[resource]
        pools[resource.rawValue].subtract(count, holding: held, isLiving: accounts[slot].isLiving)
        accounts[slot].held[resource] -= count
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

    /// Units that evict nothing: kept representations and bytes of writes and cached loads that are not complete, and
    /// what a commit releases.
    struct Pending {
        var representations: UInt64 = 0
        var bytes: UInt64 = 0
        var held = Amount()
    }

    func excess(withoutPending pending: Pending = Pending()) -> Excess {
        Excess(
            boards: isExceeded(.boards),
            kept: isExceeded(.keptRepresentations, withoutPending: pending.representations)
                || isExceeded(.keptBytes, withoutPending: pending.bytes),
            held: isExceeded(.objects, withoutPending: pending.held.objects)
                || isExceeded(.metadata, withoutPending: pending.held.metadata)
        )
    }

    func isExceeded(_ resource: Resource, withoutPending pending: UInt64 = 0) -> Bool {
        pools[resource.rawValue].isExceeded(withoutPending: pending)
    }

    /// Counts running loads of contents that outlive their writer's connection. Meanwhile none of the account's
    /// contents are evictable.
    mutating func addOrphanLoads(_ count: Int, of account: AccountID) {
        guard count > 0, let slot = accounts.find(account) else { return }
        accounts[slot].orphanLoads += UInt64(count)
        updateHolder(slot)
    }

    mutating func removeOrphanLoad(of account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        accounts[slot].orphanLoads -= 1
        updateHolder(slot)
        closeIfUnused(slot)
    }

    /// The place in the order of ended processes; nil if the account's contents may not be evicted.
    func endOrder(ofEvictable account: AccountID) -> UInt64? {
        guard let slot = accounts.find(account), !accounts[slot].isLiving else { return nil }
        return accounts[slot].end
    }

    // MARK: Bytes

    /// Charges a load, with the smallest window.
    @inline(__always)
    mutating func chargeLoad(to account: AccountID) throws(Failure) -> Charge {
        guard let slot = accounts.find(account) else { return Charge(account: account) }
        // The windows of its other loads may have grown while there was room.
        let isFirst = (accounts[slot].loads + 1) * CreditWindow.smallest <= pools[Resource.transfer.rawValue].firstUnits
        guard isFirst || room(for: account, of: .transfer) >= CreditWindow.smallest else {
            throw transferRefusal(account)
        }
        guard allows(1, of: .objects, to: slot) else { throw refusal(1, of: .objects, "objects", to: slot, "a load") }
        add(1, of: .objects, to: slot)
        add(CreditWindow.smallest, of: .transfer, to: slot)
        accounts[slot].loads += 1
        return Charge(account: account, amount: Amount(objects: 1))
    }

    /// Releases the charge and the window of a load.
    @inline(__always)
    mutating func releaseLoad(_ charge: Charge, window: UInt64) {
        guard let slot = accounts.find(charge.account) else { return }
        accounts[slot].loads -= 1
        subtract(window, of: .transfer, from: slot)
        subtract(charge.amount.objects, of: .objects, from: slot)
        closeIfUnused(slot)
    }

    @inline(never)
    private func transferRefusal(_ account: AccountID) -> Failure {
        Failure(
            .limitExceeded,
            "the loads of this program have \(held(by: account, of: .transfer)) bytes in transfer, and its share of "
                + "limit transfer-pool allows no further load; read some to the end"
        )
    }

    /// Acquires the bytes by which the window of a load may grow. Larger windows take at most half of an account's
    /// share, and leave the rest to further loads.
    ///
    /// - Returns: their number.
    @inline(__always)
    mutating func growWindow(by wanted: UInt64, of account: AccountID) -> UInt64 {
        guard let slot = accounts.find(account) else { return 0 }
        let held = accounts[slot].held[.transfer]
        let room = pools[Resource.transfer.rawValue].room(holding: held)
        let count = min(wanted, (room - min(room, held)) / 8)
        add(count, of: .transfer, to: slot)
        return count
    }

    /// Changes the number of queued bytes of a connection.
    mutating func queue(_ count: UInt64, insteadOf before: UInt64, for account: AccountID) {
        guard let slot = accounts.find(account) else { return }
        subtract(before, of: .queued, from: slot)
        add(count, of: .queued, to: slot)
    }

    /// The account with the most queued bytes.
    var mostQueued: AccountID? {
        var most: SlotTable<Account>.Slot?
        var cursor: SlotTable<Account>.Slot?
        while let slot = accounts.advance(&cursor) {
            if most.map({ accounts[slot].held[.queued] > accounts[$0].held[.queued] }) ?? true { most = slot }
        }
        return most.map { accounts.id(of: $0) }
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
package struct ProcessKey: Hashable, Comparable, BitwiseCopyable, Sendable {
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
