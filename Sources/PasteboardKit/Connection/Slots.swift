/// Values with numbers that do not change, which are assigned again after a removal. Number 0 is never assigned.
struct Slots<Value: Sendable>: Sendable {
    /// The value of each number.
    private(set) var values: [Value?] = [nil]
    private var free: [UInt32] = []

    var isEmpty: Bool { count == 0 }
    var count: Int { values.count - 1 - free.count }
    var all: [Value] { values.compactMap(\.self) }
    /// The number that the next value gets.
    var next: UInt32 { free.last ?? UInt32(truncatingIfNeeded: values.count) }

    /// A value that was inserted; nil for another number. It is copied, so a part of it is read through `values`.
    subscript(_ number: UInt32) -> Value? {
        get { values[Int(number)] }
        @inline(__always) _modify { yield &values[Int(number)] }
    }

    func contains(_ number: UInt32) -> Bool { values[Int(number)] != nil }

    @discardableResult
    mutating func insert(_ value: Value) -> UInt32 {
        guard let number = free.popLast() else {
            values.append(value)
            return UInt32(truncatingIfNeeded: values.count - 1)
        }
        values[Int(number)] = value
        return number
    }

    mutating func remove(_ number: UInt32) -> Value? {
        guard let value = values[Int(number)].take() else { return nil }
        free.append(number)
        return value
    }
}
