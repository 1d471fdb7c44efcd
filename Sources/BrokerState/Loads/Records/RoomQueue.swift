/// The loads that wait for room in the transfer pool, in a line for each process whose connections are their
/// destinations.
struct RoomQueue: Sendable {
    private struct Line: Sendable {
        let account: Accounting.AccountID
        var loads = Queue<LoadID>()
    }

    /// No line is empty.
    private var lines: [Line] = []
    /// The time since which each process with a line has waited.
    private var starts: [Accounting.AccountID: UInt64] = [:]
    /// Includes loads that have ended meanwhile.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var lineCount: Int { lines.count }

    mutating func append(_ load: LoadID, of account: Accounting.AccountID, at now: UInt64) {
        count += 1
        if starts[account] != nil, let index = lines.firstIndex(where: { $0.account == account }) {
            lines[index].loads.append(load)
        } else {
            starts[account] = now
            lines.append(Line(account: account))
            lines[lines.count - 1].loads.append(load)
        }
    }

    /// The time since which loads of a process have waited; nil if none do.
    func since(of account: Accounting.AccountID) -> UInt64? {
        starts[account]
    }

    /// The process of a line and its first load; nil after the last line.
    func first(of line: Int) -> (account: Accounting.AccountID, load: LoadID)? {
        guard line < lines.count, let load = lines[line].loads.first else { return nil }
        return (lines[line].account, load)
    }

    /// Removes the first load of a line, and the line with its last one.
    mutating func removeFirst(of line: Int) {
        guard lines[line].loads.popFirst() != nil else { return }
        count -= 1
        guard lines[line].loads.isEmpty else { return }
        starts[lines[line].account] = nil
        lines.remove(at: line)
    }

    /// Removes loads that have ended.
    mutating func removeAll(where hasEnded: (LoadID) -> Bool) {
        var old = RoomQueue()
        swap(&self, &old)
        while let (account, load) = old.first(of: 0) {
            let since = old.since(of: account) ?? 0
            if !hasEnded(load) { append(load, of: account, at: since) }
            old.removeFirst(of: 0)
        }
    }
}
