/// Values by the number of a stream.
///
/// A dictionary would hash a number with a keyed function several times for each load, and copy a value to change a
/// part of it. Numbers are assigned in sequence, so their low bits spread them over the table. After a collision an
/// entry takes the next free index; a removal closes the gap.
struct StreamMap<Value: Sendable>: Sendable {
    /// The number at each index, or 0 if it is free. Stream 0 is the connection and never in the table.
    private var numbers: [UInt64]
    /// The value at each index, for access to a part of a value without a copy of the rest.
    private(set) var values: [Value?]
    private(set) var count = 0
    /// The number of entries that are not at the index of their low bits. It is usually 0, and then no gap has to be
    /// closed.
    private var displaced = 0

    init() {
        numbers = Array(repeating: 0, count: 16)
        values = Array(repeating: nil, count: 16)
    }

    var isEmpty: Bool { count == 0 }

    var keys: [UInt64] { numbers.filter { $0 != 0 } }
    /// The values in any order.
    var all: [Value] { values.compactMap(\.self) }

    subscript(_ number: UInt64) -> Value? {
        get { values[index(for: number)] }
        _modify {
            if 2 * count >= numbers.count { grow() }
            let index = index(for: number)
            let before = numbers[index]
            yield &values[index]
            let isHeld = values[index] != nil
            if isHeld, before == 0 {
                numbers[index] = number
                count += 1
                if index != home(of: number) { displaced += 1 }
            } else if !isHeld, before != 0 {
                closeGap(at: index)
            }
        }
    }

    func contains(_ number: UInt64) -> Bool { numbers[index(for: number)] != 0 }

    mutating func removeValue(for number: UInt64) -> Value? {
        let index = index(for: number)
        guard numbers[index] != 0 else { return nil }
        let value = values[index].take()
        closeGap(at: index)
        return value
    }

    /// The number of the first value that fulfils the condition.
    func firstNumber(where isMatch: (Value) -> Bool) -> UInt64? {
        values.firstIndex { $0.map(isMatch) ?? false }.map { numbers[$0] }
    }

    /// The index of `number`, or the free index that it would take.
    func index(for number: UInt64) -> Int {
        var index = home(of: number)
        while numbers[index] != number, numbers[index] != 0 { index = next(index) }
        return index
    }

    private mutating func closeGap(at index: Int) {
        if index != home(of: numbers[index]) { displaced -= 1 }
        var gap = index
        var candidate = next(gap)
        while displaced > 0, numbers[candidate] != 0 {
            // An entry after the gap may move into it, unless its home index is between the two.
            let home = home(of: numbers[candidate])
            if distance(from: home, to: candidate) >= distance(from: gap, to: candidate) {
                if gap == home { displaced -= 1 }
                numbers[gap] = numbers[candidate]
                values.swapAt(gap, candidate)
                gap = candidate
            }
            candidate = next(candidate)
        }
        numbers[gap] = 0
        count -= 1
    }

    private mutating func grow() {
        let (oldNumbers, oldValues) = (numbers, values)
        numbers = Array(repeating: 0, count: 2 * oldNumbers.count)
        values = Array(repeating: nil, count: numbers.count)
        displaced = 0
        for (number, value) in zip(oldNumbers, oldValues) where number != 0 {
            let index = index(for: number)
            numbers[index] = number
            values[index] = value
            if index != home(of: number) { displaced += 1 }
        }
    }

    private func home(of number: UInt64) -> Int {
        Int(truncatingIfNeeded: number >> 1) & (numbers.count - 1)
    }

    private func next(_ index: Int) -> Int { (index + 1) & (numbers.count - 1) }

    private func distance(from start: Int, to end: Int) -> Int { (end - start) & (numbers.count - 1) }
}

extension StreamMap: ExpressibleByDictionaryLiteral {
    init(dictionaryLiteral elements: (UInt64, Value)...) {
        self.init()
        for (number, value) in elements { self[number] = value }
    }
}
