/// The open streams of one connection by their number.
///
/// Numbers are assigned in sequence, so their low bits spread them over the table without a hash function, and a table
/// of plain values needs no allocation for a stream. After a collision an entry takes the next free index; a removal
/// closes the gap. The table never has more entries than streams that this client allows, so a peer that chooses
/// unfavourable numbers slows it down little.
struct StreamTable<Value: Sendable>: Sendable {
    /// Valid at the indices that `index(of:)` returns.
    var values: [Value]
    /// The number at each index, or 0 if it is free. Stream 0 is the connection and never in the table.
    private var ids: [UInt64]
    private let empty: Value
    private(set) var count = 0
    /// The number of entries that are not at the index of their low bits. It is usually 0, and then no gap has to be
    /// closed.
    private var displaced = 0

    init(empty: Value) {
        self.empty = empty
        ids = Array(repeating: 0, count: 16)
        values = Array(repeating: empty, count: 16)
    }

    /// The numbers of all streams, in ascending order.
    var openIDs: [UInt64] { ids.filter { $0 != 0 }.sorted() }

    @inline(__always)
    func index(of id: UInt64) -> Int? {
        guard id != 0, count > 0 else { return nil }
        var index = home(of: id)
        while ids[index] != id {
            if ids[index] == 0 { return nil }
            index = next(index)
        }
        return index
    }

    /// Inserts a value for `id`, which must be neither 0 nor in the table.
    mutating func insert(_ value: Value, for id: UInt64) {
        if 2 * count >= ids.count { grow() }
        let home = self.home(of: id)
        var index = home
        while ids[index] != 0 { index = next(index) }
        if index != home { displaced += 1 }
        ids[index] = id
        values[index] = value
        count += 1
    }

    mutating func remove(at index: Int) {
        var gap = index
        if displaced > 0, self.home(of: ids[index]) != index { displaced -= 1 }
        var candidate = next(gap)
        while displaced > 0, ids[candidate] != 0 {
            // An entry after the gap may move into it, unless its home index is between the two.
            let home = self.home(of: ids[candidate])
            if distance(from: home, to: candidate) >= distance(from: gap, to: candidate) {
                if gap == home { displaced -= 1 }
                ids[gap] = ids[candidate]
                values[gap] = values[candidate]
                gap = candidate
            }
            candidate = next(candidate)
        }
        ids[gap] = 0
        count -= 1
    }

    private func home(of id: UInt64) -> Int {
        Int(truncatingIfNeeded: id >> 1) & (ids.count - 1)
    }

    private func next(_ index: Int) -> Int { (index + 1) & (ids.count - 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end - start) & (ids.count - 1) }

    private mutating func grow() {
        let old = zip(ids, values).filter { $0.0 != 0 }
        ids = Array(repeating: 0, count: 2 * ids.count)
        values = Array(repeating: empty, count: ids.count)
        count = 0
        displaced = 0
        for (id, value) in old { insert(value, for: id) }
    }
}
