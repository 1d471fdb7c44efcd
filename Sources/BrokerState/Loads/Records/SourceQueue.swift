/// The loads that wait for a place at a source, which is asked for a limited number of loads at once.
///
/// The processes that requested them take turns, so that the many loads of one do not delay the few of another.
struct SourceQueue: Sendable {
    private struct Line: Sendable {
        let account: Accounting.AccountID
        var loads: [LoadID]
    }

    /// One line of waiting loads for each process; the turn of the first line is next. No line is empty.
    private var lines: [Line] = []
    private(set) var count = 0
    /// The time since which at least one load has waited.
    private(set) var since: UInt64 = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ load: LoadID, of account: Accounting.AccountID, at now: UInt64) {
        if isEmpty { since = now }
        count += 1
        if let index = index(of: account) {
            lines[index].loads.append(load)
        } else {
            lines.append(Line(account: account, loads: [load]))
        }
    }

    /// Removes the next load. Then it is the turn of the next process.
    mutating func popFirst() -> LoadID? {
        guard !lines.isEmpty else { return nil }
        count -= 1
        var line = lines.removeFirst()
        let load = line.loads.removeFirst()
        if !line.loads.isEmpty { lines.append(line) }
        return load
    }

    mutating func remove(_ load: LoadID, of account: Accounting.AccountID) {
        guard let line = index(of: account), let index = lines[line].loads.firstIndex(of: load) else { return }
        count -= 1
        lines[line].loads.remove(at: index)
        if lines[line].loads.isEmpty { lines.remove(at: line) }
    }

    /// The load that has to make room for one more of a process: the newest load of the process with the most loads;
    /// nil unless that process has more loads than the other would then have.
    func displaced(by account: Accounting.AccountID) -> LoadID? {
        let own = index(of: account).map { lines[$0].loads.count } ?? 0
        guard let longest = lines.max(by: { $0.loads.count < $1.loads.count }), longest.loads.count > own + 1
        else { return nil }
        return longest.loads.last
    }

    /// Whether a process waits that is not the one of the account.
    func hasOthers(than account: Accounting.AccountID) -> Bool {
        lines.count > 1 || lines.first.map { $0.account != account } ?? false
    }

    /// The processes that wait, each with its first load and the number of its loads.
    var waiting: [(account: Accounting.AccountID, first: LoadID, count: Int)] {
        lines.map { ($0.account, $0.loads[0], $0.loads.count) }
    }

    func contains(_ load: LoadID) -> Bool {
        lines.contains { $0.loads.contains(load) }
    }

    private func index(of account: Accounting.AccountID) -> Int? {
        lines.firstIndex { $0.account == account }
    }
}
