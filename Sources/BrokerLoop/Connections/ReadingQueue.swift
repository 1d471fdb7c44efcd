import BrokerState

/// The connections whose input is read next: round robin by process, and within a process by connection.
///
/// The processing of input takes cost units, which are counted by the work that it does. A process whose input has cost
/// more than ``quantum`` waits while others are served, until further rounds have made up for it. So a process cannot
/// take more of the broker's time than its share, neither with expensive requests nor with many connections. While
/// nobody else has input, nothing waits.
struct ReadingQueue: ~Copyable {
    /// The cost units of one visit to a process: about 0.25 ms.
    static let quantum = 2_500
    /// The most by which a budget is exceeded, for example by a storm of connections. The rest is not made up for.
    private static let greatestExcess = 1_000_000

    /// The next connection to read.
    struct Visit {
        let peer: PeerID
        /// The cost units that the visit may take.
        let budget: Int
        fileprivate let share: SlotTable<Share>.ID
    }

    /// One process with connections. Not private: a private type of a table does not link.
    struct Share: ~Copyable {
        var connections = 0
        var waiting = Queue<PeerID>()
        /// The cost units that its next visits may take. It is negative after visits that took more.
        var budget = 0
        /// Whether the process is in `order`.
        var isListed = false
    }

    /// One share for each process with connections, by the id of its account.
    private var shares = SlotTable<Share>()
    /// The processes with connections that wait, and the one that is being visited. The first one is visited next.
    private var order = Queue<SlotTable<Share>.ID>()
    /// The number of connections that wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func connected(of account: Accounting.AccountID) {
        let id = SlotTable<Share>.ID(account)
        if !shares.holds(id) { shares.insert(Share(), at: id) }
        if let share = shares.find(id) { shares[share].connections += 1 }
    }

    mutating func disconnected(of account: Accounting.AccountID) {
        guard let share = shares.find(SlotTable<Share>.ID(account)) else { return }
        shares[share].connections -= 1
        guard shares[share].connections == 0 else { return }
        // Another process may get an account in the same slot.
        if shares[share].isListed { order.remove(SlotTable<Share>.ID(account)) }
        count -= shares[share].waiting.count
        shares.remove(share)
    }

    /// Adds a connection that does not wait already.
    mutating func append(_ peer: PeerID, of account: Accounting.AccountID) {
        guard let share = shares.find(SlotTable<Share>.ID(account)) else { return }
        count += 1
        shares[share].waiting.append(peer)
        guard !shares[share].isListed else { return }
        shares[share].isListed = true
        shares[share].budget = min(shares[share].budget, 0) + Self.quantum
        order.append(SlotTable<Share>.ID(account))
    }

    /// Removes and returns the next connection; nil if none waits. After the visit, `charge` is called for it.
    mutating func next() -> Visit? {
        while let id = order.first, let share = shares.find(id) {
            let budget = shares[share].budget
            guard budget > 0 else {
                shares[share].budget += Self.quantum
                order.popFirst()
                order.append(id)
                continue
            }
            guard let peer = shares[share].waiting.popFirst() else { return nil }
            count -= 1
            return Visit(peer: peer, budget: budget, share: id)
        }
        return nil
    }

    /// Charges a visit, which has ended. The process stays the next one while it has budget and other connections wait.
    mutating func charge(_ cost: Int, for visit: Visit) {
        charge(cost, to: visit.share)
        guard let share = shares.find(visit.share), shares[share].waiting.isEmpty else { return }
        order.popFirst()
        shares[share].isListed = false
    }

    /// Charges work for a process that was not part of a visit.
    mutating func charge(_ cost: Int, to account: Accounting.AccountID) {
        charge(cost, to: SlotTable<Share>.ID(account))
    }

    private mutating func charge(_ cost: Int, to id: SlotTable<Share>.ID) {
        guard let share = shares.find(id) else { return }
        shares[share].budget = max(shares[share].budget - cost, -Self.greatestExcess)
    }
}

extension SlotTable<ReadingQueue.Share>.ID {
    fileprivate init(_ account: Accounting.AccountID) {
        self.init(slot: account.slot, generation: account.generation)
    }
}
