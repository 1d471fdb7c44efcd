/// The boards that have changed since the first watch of all boards began, in the order of their last changes.
///
/// Watches of all boards share it: each knows only the total change count that it has reported. So whatever changes
/// while a watch has no credit or its peer does not read, each board occupies one entry, and the watch reports it once.
struct ChangedBoards: Sendable {
    enum Kind: BitwiseCopyable {
        case contents
        /// The change count stays.
        case version
        /// Contents of an earlier connection or broker have come back under their change count.
        case reclaim
    }

    struct Entry: Sendable {
        /// The total change count at the last change, and at the last one that was not only of the version.
        var total: UInt64
        var lastOfContents: UInt64
        var kind = Kind.contents
        /// The links for which contents of the board have existed.
        var knownTo: SeeingLinks
        var clearer: Clearer?
        /// See ``WatchedBoard/summaries``.
        var summaries: [ContentSummary] = []
    }

    private var entries: [String: Entry] = [:]
    /// All changes in their order. Those after which the board has changed again are removed from time to time.
    private var order: [(total: UInt64, name: String)] = []

    var count: Int { entries.count }

    subscript(name: String) -> Entry? { entries[name] }

    /// Adds the last change of a board.
    mutating func record(_ name: String, _ kind: Kind, total: UInt64, knownTo: SeeingLinks) {
        let earlier = entries[name]?.lastOfContents ?? 0
        let last = kind == .version ? earlier : total
        entries[name] = Entry(total: total, lastOfContents: last, kind: kind, knownTo: knownTo)
        order.append((total, name))
        if order.count > 2 * entries.count + 64 { order.removeAll { entries[$0.name]?.total != $0.total } }
    }

    mutating func recordClear(of name: String, by clearer: Clearer) {
        entries[name]?.clearer = clearer
    }

    mutating func remember(_ summary: ContentSummary, of name: String) {
        entries[name]?.summaries.append(summary)
    }

    /// Adds boards that have changed before the first watch began.
    mutating func add(_ boards: [(name: String, total: UInt64, knownTo: SeeingLinks)]) {
        for (name, total, knownTo) in boards where entries[name] == nil {
            entries[name] = Entry(total: total, lastOfContents: total, knownTo: knownTo)
        }
        order = entries.map { ($1.total, $0) }.sorted { ($0.total, $0.name) < ($1.total, $1.name) }
    }

    /// Forgets older ones of the boards without contents if there are more boards than twice the limit. A watch that is
    /// so late does not report them, but counts their changes as missed.
    mutating func forget(_ boards: borrowing Boards, limit: UInt64) {
        let most = 2 * Int(min(limit, 1 << 20)) + 256
        guard entries.count > most else { return }
        order.removeAll { entries[$0.name]?.total != $0.total }
        var excess = most / 2
        for (_, name) in order where excess > 0 && boards.publication(on: name) == nil {
            entries[name] = nil
            excess -= 1
        }
        order.removeAll { entries[$0.name] == nil }
    }

    /// The first board whose last change is after a total change count; nil if there is none.
    ///
    /// - Parameter walked: is raised by the number of changes that were examined.
    func first(after total: UInt64, walked: inout Int) -> (name: String, entry: Entry)? {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if order[middle].total > total { high = middle } else { low = middle + 1 }
        }
        for index in low..<order.count {
            walked += 1
            if let entry = entries[order[index].name], entry.total == order[index].total {
                return (order[index].name, entry)
            }
        }
        return nil
    }
}
