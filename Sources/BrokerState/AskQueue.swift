/// Loads that wait for their turn at a source, which is asked for as many at once as it takes.
///
/// The processes that want them take turns: the many loads of one do not hold up the few of another.
struct AskQueue: Sendable {
    private struct Line: Sendable {
        let account: Accounting.AccountID
        var loads: [RouteID]
    }

    /// None is empty; the first one's turn is next.
    private var lines: [Line] = []
    private(set) var count = 0
    /// Since when there has been somebody who waits.
    private(set) var since: UInt64 = 0

    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ load: RouteID, of account: Accounting.AccountID, at now: UInt64) {
        if self.isEmpty { self.since = now }
        self.count += 1
        if let index = self.index(of: account) {
            self.lines[index].loads.append(load)
        } else {
            self.lines.append(Line(account: account, loads: [load]))
        }
    }

    /// The next one; then it is the next process's turn.
    mutating func popFirst() -> RouteID? {
        guard !self.lines.isEmpty else { return nil }
        self.count -= 1
        var line = self.lines.removeFirst()
        let load = line.loads.removeFirst()
        if !line.loads.isEmpty { self.lines.append(line) }
        return load
    }

    mutating func remove(_ load: RouteID, of account: Accounting.AccountID) {
        guard let index = self.index(of: account),
            let place = self.lines[index].loads.firstIndex(of: load)
        else { return }
        self.count -= 1
        self.lines[index].loads.remove(at: place)
        if self.lines[index].loads.isEmpty { self.lines.remove(at: index) }
    }

    /// The load that makes room for one more of a process: the latest of the process with the most, if these are more
    /// than it would have then.
    func displaced(by account: Accounting.AccountID) -> RouteID? {
        let own = self.index(of: account).map { self.lines[$0].loads.count } ?? 0
        guard let longest = self.lines.max(by: { $0.loads.count < $1.loads.count }), longest.loads.count > own + 1
        else { return nil }
        return longest.loads.last
    }

    func contains(_ load: RouteID) -> Bool {
        self.lines.contains { $0.loads.contains(load) }
    }

    private func index(of account: Accounting.AccountID) -> Int? {
        self.lines.firstIndex { $0.account == account }
    }
}
