/// The record of an open stream in a table.
protocol StreamRecord: Sendable {
    /// The number of the stream; 0 if the record is free. Stream 0 is the connection and never in a table.
    var stream: UInt64 { get set }
}

/// The open streams of one connection by their number.
///
/// Numbers are assigned in sequence, so their low bits spread them over the table without a hash function, and a table
/// of plain values needs no allocation for a stream. After a collision an entry takes the next free index; a removal
/// closes the gap. The table never has more entries than streams that this client allows, so a peer that chooses
/// unfavourable numbers slows it down little.
struct StreamTable<Value: StreamRecord>: Sendable {
    /// Valid at the indices that `index(of:)` returns. Records at other indices have stream 0.
    var values: [Value]
    private let empty: Value
    private(set) var count = 0
    /// The number of entries that are not at the index of their low bits. It is usually 0, and then no gap has to be
    /// closed.
    private var displaced = 0

    init(empty: Value) {
        self.empty = empty
        values = Array(repeating: empty, count: 16)
    }

    /// The numbers of all streams, in ascending order.
    var openIDs: [UInt64] { values.map(\.stream).filter { $0 != 0 }.sorted() }

    @inline(__always)
    func index(of id: UInt64) -> Int? {
        guard id != 0, count > 0 else { return nil }
        var index = home(of: id)
        while values[index].stream != id {
            if values[index].stream == 0 { return nil }
            index = next(index)
        }
        return index
    }

    /// Inserts the record of a stream that is not in the table.
    @inline(__always)
    mutating func insert(_ value: Value) {
        if 2 * count >= values.count { grow() }
        let home = self.home(of: value.stream)
        var index = home
        while values[index].stream != 0 { index = next(index) }
        if index != home { displaced += 1 }
        values[index] = value
        count += 1
    }

    @inline(__always)
    mutating func remove(at index: Int) {
        count -= 1
        if displaced > 0 { return close(index) }
        values[index].stream = 0
    }

    /// Removes the entry at the index, and moves entries after it that belong nearer to their home.
    @inline(never)
    private mutating func close(_ index: Int) {
        var gap = index
        if home(of: values[index].stream) != index { displaced -= 1 }
        var candidate = next(gap)
        while displaced > 0, values[candidate].stream != 0 {
            // An entry after the gap may move into it, unless its home index is between the two.
            let home = self.home(of: values[candidate].stream)
            if distance(from: home, to: candidate) >= distance(from: gap, to: candidate) {
                if gap == home { displaced -= 1 }
                values[gap] = values[candidate]
                gap = candidate
            }
            candidate = next(candidate)
        }
        values[gap].stream = 0
    }

    private func home(of id: UInt64) -> Int {
        Int(truncatingIfNeeded: id >> 1) & (values.count &- 1)
    }

    private func next(_ index: Int) -> Int { (index &+ 1) & (values.count &- 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end &- start) & (values.count &- 1) }

    @inline(never)
    private mutating func grow() {
        let old = values.filter { $0.stream != 0 }
        values = Array(repeating: empty, count: 2 * values.count)
        count = 0
        displaced = 0
        for value in old { insert(value) }
    }
}
