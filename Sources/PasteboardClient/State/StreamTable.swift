/// The open streams of one connection by id.
///
/// Ids come in sequence, so their low bits spread them over the table without a hash function, and a table of plain
/// values costs no allocation for a stream. Collisions go to the next free place; removing closes the gap. There are
/// never more entries than streams that this client allows, so a peer that chooses ids badly slows down little.
struct StreamTable<Value: Sendable>: Sendable {
    /// Valid at places that `index(of:)` gave.
    var values: [Value]
    /// 0 where a place is free: stream 0 is the connection and never in the table.
    private var ids: [UInt64]
    private let empty: Value
    private(set) var count = 0
    /// How many stand elsewhere than at home. While there are none, which is the rule, no gap has to be closed.
    private var displaced = 0

    init(empty: Value) {
        self.empty = empty
        self.ids = Array(repeating: 0, count: 16)
        self.values = Array(repeating: empty, count: 16)
    }

    /// In ascending order.
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

    /// `id` is not 0 and not in the table.
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
            // What stands behind the gap may move into it unless its home lies between the two.
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
