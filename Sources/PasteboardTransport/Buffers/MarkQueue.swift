/// Values attached to positions in a byte queue, in order.
struct MarkQueue<Value> {
    private var marks: [(position: UInt64, value: Value)] = []
    private var first = 0

    var nextPosition: UInt64? {
        first < marks.count ? marks[first].position : nil
    }

    var next: Value? {
        first < marks.count ? marks[first].value : nil
    }

    mutating func append(_ value: Value, at position: UInt64) {
        marks.append((position, value))
    }

    /// The oldest mark at or before `position`.
    mutating func take(upTo position: UInt64) -> Value? {
        guard first < marks.count, marks[first].position <= position else { return nil }
        let value = marks[first].value
        first += 1
        // Taken marks are removed many at a time, so that the cost of taking one does not depend on the number that
        // wait.
        if first == marks.count {
            marks.removeAll(keepingCapacity: first <= 64)
            first = 0
        } else if first >= 64, first >= marks.count / 2 {
            marks.removeFirst(first)
            first = 0
        }
        return value
    }
}
