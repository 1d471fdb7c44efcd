/// The places at a source: the number of loads that it is asked for at once, and the loads that wait for one.
///
/// The processes that requested them take turns, so that the many loads of one do not delay the few of another. An
/// eighth of the places is for processes that have none, so that a process with many finds others a place at once.
struct Places: Sendable {
    /// The loads of one process: the number of its places, and the loads that wait.
    private struct Line: Sendable {
        let account: Accounting.AccountID
        var taken = 0
        var waiting: [LoadID] = []
    }

    /// The number of places.
    private var limit: Int
    /// The places that may be taken by processes that have some already.
    private var shared: Int
    /// The next turn is that of the first line that may take a place. No line is without places and loads.
    private var lines: [Line] = []
    private(set) var taken = 0
    private(set) var waitingCount = 0
    /// The time since which at least one load has waited.
    private(set) var since: UInt64 = 0

    init(_ limit: Int) {
        self.limit = limit
        shared = limit < 2 ? limit : limit - max(1, limit / 8)
    }

    mutating func setLimit(_ limit: Int) {
        let places = Places(limit)
        (self.limit, shared) = (places.limit, places.shared)
    }

    var isAwaited: Bool { waitingCount > 0 }
    var loadCount: Int { taken + waitingCount }
    var isUnused: Bool { loadCount == 0 }

    private func mayTake(_ line: Line) -> Bool { taken < shared || (taken < limit && line.taken == 0) }

    // MARK: Places

    /// Takes a place for a load that has not waited. False if it has to wait.
    mutating func take(for account: Accounting.AccountID) -> Bool {
        // Nobody waits who may take a place, so nobody is overtaken.
        if let index = index(of: account) {
            guard mayTake(lines[index]) else { return false }
            lines[index].taken += 1
        } else {
            guard taken < limit else { return false }
            lines.append(Line(account: account, taken: 1))
        }
        taken += 1
        return true
    }

    mutating func giveBack(by account: Accounting.AccountID) {
        guard let index = index(of: account) else { return }
        lines[index].taken -= 1
        taken -= 1
        removeIfUnused(index)
    }

    /// Takes a place for the next load that may have one. Then it is the turn of the next process.
    mutating func next() -> LoadID? {
        guard isAwaited, taken < limit,
            let index = lines.firstIndex(where: { !$0.waiting.isEmpty && mayTake($0) })
        else { return nil }
        var line = lines.remove(at: index)
        let load = line.waiting.removeFirst()
        line.taken += 1
        taken += 1
        waitingCount -= 1
        lines.append(line)
        return load
    }

    // MARK: Waiting

    mutating func append(_ load: LoadID, of account: Accounting.AccountID, at now: UInt64) {
        if !isAwaited { since = now }
        waitingCount += 1
        var line = Line(account: account)
        if let index = index(of: account) {
            guard lines[index].waiting.isEmpty else { return lines[index].waiting.append(load) }
            line = lines.remove(at: index)
        }
        line.waiting.append(load)
        lines.append(line)
    }

    mutating func remove(_ load: LoadID, of account: Accounting.AccountID) {
        guard let line = index(of: account), let index = lines[line].waiting.firstIndex(of: load) else { return }
        waitingCount -= 1
        lines[line].waiting.remove(at: index)
        removeIfUnused(line)
    }

    /// The load that has to make room for one more of a process: the newest load of the process with the most waiting
    /// loads; nil unless that process has more of them than the other would then have.
    func displaced(by account: Accounting.AccountID) -> LoadID? {
        let own = index(of: account).map { lines[$0].waiting.count } ?? 0
        guard let longest = lines.max(by: { $0.waiting.count < $1.waiting.count }), longest.waiting.count > own + 1
        else { return nil }
        return longest.waiting.last
    }

    /// Whether a process waits that is not the one of the account.
    func areAwaited(byOthersThan account: Accounting.AccountID) -> Bool {
        isAwaited && lines.contains { $0.account != account && !$0.waiting.isEmpty }
    }

    func contains(_ load: LoadID) -> Bool {
        lines.contains { $0.waiting.contains(load) }
    }

    @inline(__always)
    private func index(of account: Accounting.AccountID) -> Int? {
        var index = 0
        while index < lines.count {
            if lines[index].account == account { return index }
            index += 1
        }
        return nil
    }

    @inline(__always)
    private mutating func removeIfUnused(_ index: Int) {
        guard lines[index].taken == 0, lines[index].waiting.isEmpty else { return }
        // In most cases it is the only line, and `remove(at:)` calls generic code.
        if index == lines.count - 1 { lines.removeLast() } else { lines.remove(at: index) }
    }
}
