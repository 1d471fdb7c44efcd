/// The open streams of one connection by their number.
///
/// Numbers come in sequence, so their low bits spread them over the table without a hash function, and a table of plain
/// values needs no allocation for a stream. After a collision an entry takes the next free index; a removal closes the
/// gap. The table never has more entries than streams that this client allows, so a peer that chooses unfavourable
/// numbers slows it down little.
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
        self.ids = Array(repeating: 0, count: 16)
        self.values = Array(repeating: empty, count: 16)
    }

    /// The numbers of all streams, in ascending order.
    var openIDs: [UInt64] { self.ids.filter { $0 != 0 }.sorted() }

    func index(of id: UInt64) -> Int? {
        guard id != 0 else { return nil }
        var index = self.home(of: id)
        while self.ids[index] != id {
            if self.ids[index] == 0 { return nil }
            index = self.next(index)
        }
        return index
    }

    /// Inserts a value for `id`, which must be neither 0 nor in the table.
    mutating func insert(_ value: Value, for id: UInt64) {
        if 2 * self.count >= self.ids.count { self.grow() }
        let home = self.home(of: id)
        var index = home
        while self.ids[index] != 0 { index = self.next(index) }
        if index != home { self.displaced += 1 }
        self.ids[index] = id
        self.values[index] = value
        self.count += 1
    }

    mutating func remove(at index: Int) {
        var gap = index
        if self.displaced > 0, self.home(of: self.ids[index]) != index { self.displaced -= 1 }
        var candidate = self.next(gap)
        while self.displaced > 0, self.ids[candidate] != 0 {
            // An entry after the gap may move into it, unless its home index lies between the two.
            let home = self.home(of: self.ids[candidate])
            if self.distance(from: home, to: candidate) >= self.distance(from: gap, to: candidate) {
                if gap == home { self.displaced -= 1 }
                self.ids[gap] = self.ids[candidate]
                self.values[gap] = self.values[candidate]
                gap = candidate
            }
            candidate = self.next(candidate)
        }
        self.ids[gap] = 0
        self.values[gap] = self.empty
        self.count -= 1
    }

    private func home(of id: UInt64) -> Int {
        Int(truncatingIfNeeded: id >> 1) & (self.ids.count - 1)
    }

    private func next(_ index: Int) -> Int { (index + 1) & (self.ids.count - 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end - start) & (self.ids.count - 1) }

    private mutating func grow() {
        let old = zip(self.ids, self.values).filter { $0.0 != 0 }
        self.ids = Array(repeating: 0, count: 2 * self.ids.count)
        self.values = Array(repeating: self.empty, count: self.ids.count)
        self.count = 0
        self.displaced = 0
        for (id, value) in old { self.insert(value, for: id) }
    }
}
