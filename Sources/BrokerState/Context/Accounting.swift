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
        fileprivate(set) var holder = Pool.Holder.ended
        package fileprivate(set) var held = Holdings()
        /// Bytes that the driver holds for its connections.
        fileprivate(set) var queued: UInt64 = 0
        /// Bytes in transfer to its connections.
        fileprivate(set) var inTransfer: UInt64 = 0
        /// The cost of the input of its connections.
        package fileprivate(set) var cost = 0
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
    }

    /// The units of each resource that an account holds.
    package struct Holdings: BitwiseCopyable, Sendable {
        private var units = InlineArray<9, UInt64>(repeating: 0)

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

    package private(set) var queued: UInt64 = 0
    /// The bytes that sources may send, or that wait for the sockets of destinations.
    package private(set) var inTransfer: UInt64 = 0
    private let transferPool: UInt64
    /// The bytes in transfer that each account may have.
    private let leastTransfer: UInt64
    private var ends: UInt64 = 0
    package private(set) var accounts = SlotTable<Account>()
    /// The accounts by process, in ascending order. Not a dictionary: to create the type of a dictionary, the runtime
    /// searches all conformances of the program, which takes about a fifth of the instructions of a start.
    private var accountsByProcess: [(process: ProcessKey, account: AccountID)] = []
    private var pools: InlineArray<9, Pool>
    /// The account of contents that are always possible, while there are some.
    private var outside: AccountID?

    package init(limits: BrokerLimits) {
        transferPool = min(limits.transferPool, .max / 4)
        leastTransfer = max(CreditWindow.smallest, min(CreditWindow.initial, transferPool / 256))
        // In the order of `Resource`.
        pools = [
            Pool(limits.objects, reservingPart: 4, firstUnits: 256),
            Pool(limits.metadata, reservingPart: 4, firstUnits: 72 << 10),
            Pool(limits.connections, reservingPart: 8, firstUnits: 2, .allButAnEighth),
            Pool(limits.boards, reservingPart: 4, firstUnits: 1),
            Pool(limits.keptRepresentations, reservingPart: 4, firstUnits: 4),
            Pool(limits.keptPool, reservingPart: 8, firstUnits: 1 << 20),
            Pool(limits.sessions, reservingPart: 4, firstUnits: 1),
            Pool(limits.destinations, reservingPart: 4, firstUnits: 1),
            Pool(limits.watches, reservingPart: 4, firstUnits: 1),
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
        let (old, new) = (accounts[slot].holder, isLiving ? Pool.Holder.living : .ended)
        guard old != new, old != .outside else { return }
        accounts[slot].holder = new
        for index in pools.indices {
            guard let resource = Resource(rawValue: index) else { continue }
            pools[index].move(accounts[slot].held[resource], from: old, to: new)
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

    /// The account outside the pools, to which contents are charged that are always possible. It belongs to no process.
    mutating func openOutside() -> AccountID {
        if let outside, accounts.holds(outside) { return outside }
        let process = ProcessKey(pid: .max, identity: .max)
        let account = accounts.insert(Account(process: process))
        if let slot = accounts.find(account) { accounts[slot].holder = .outside }
        accountsByProcess.insert((process, account), at: index(of: process))
        outside = account
        return account
    }

    func isOutside(_ account: AccountID) -> Bool {
        guard let slot = accounts.find(account) else { return false }
        return accounts[slot].holder == .outside
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

    /// Moves a charge to another account, where it is granted.
    mutating func move(_ charge: inout Charge, to account: AccountID) {
        guard charge.account != account, let slot = accounts.find(account) else { return }
        // Before the release, which may close an account that holds nothing else.
        add(charge.amount.objects, of: .objects, to: slot)
        add(charge.amount.metadata, of: .metadata, to: slot)
        let moved = Charge(account: account, amount: charge.amount)
        release(charge)
        charge = moved
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
        isOutside(account) ? .max : pools[resource.rawValue].room(holding: held(by: account, of: resource))
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
            || accounts[slot].holder == .outside
    }

    @inline(__always)
    private mutating func add(_ count: UInt64, of resource: Resource, to slot: SlotTable<Account>.Slot) {
        pools[resource.rawValue].add(count, to: &accounts[slot].held[resource], of: accounts[slot].holder)
    }

    @inline(__always)
    private mutating func subtract(_ count: UInt64, of resource: Resource, from slot: SlotTable<Account>.Slot) {
        pools[resource.rawValue].subtract(count, from: &accounts[slot].held[resource], of: accounts[slot].holder)
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

    private func isExceeded(_ resource: Resource, withoutPending pending: UInt64 = 0) -> Bool {
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
        guard let slot = accounts.find(account), accounts[slot].holder == .ended else { return nil }
        return accounts[slot].end
    }

    // MARK: Bytes in transfer

    /// The bytes that may be granted for the destinations of an account. An account may hold half of what the others
    /// leave of the pool, so that there is room for the next one. A few bytes are always allowed.
    @inline(__always)
    mutating func transferRoom(for account: AccountID) -> UInt64 {
        // Its loads have ended; they only have to leave their queue.
        guard let slot = accounts.find(account) else { return .max }
        let held = accounts[slot].inTransfer
        let most = max((transferPool - min(transferPool, inTransfer) + held) / 2, leastTransfer)
        return most - min(most, held)
    }

    @inline(__always)
    mutating func transfer(_ count: UInt64, to account: AccountID) {
        inTransfer += count
        guard let slot = accounts.find(account) else { return }
        accounts[slot].inTransfer += count
    }

    @inline(__always)
    mutating func transferred(_ count: UInt64, to account: AccountID) {
        inTransfer -= count
        guard let slot = accounts.find(account) else { return }
        accounts[slot].inTransfer -= count
    }

    // MARK: Queued bytes

    mutating func queue(_ count: UInt64, insteadOf before: UInt64, for account: AccountID) {
        queued = queued - before + count
        if let slot = accounts.find(account) { accounts[slot].queued = accounts[slot].queued - before + count }
    }

    /// The account with the most queued bytes.
    var mostQueued: AccountID? {
        var most: SlotTable<Account>.Slot?
        var cursor: SlotTable<Account>.Slot?
        while let slot = accounts.advance(&cursor) {
            if most.map({ accounts[slot].queued > accounts[$0].queued }) ?? true { most = slot }
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
