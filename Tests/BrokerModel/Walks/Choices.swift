/// The choices of a random test: from a random number generator, or from the bytes of a fuzzing input. After the last
/// byte of an input, each choice is the first one.
package final class Choices {
    private struct Generator: RandomNumberGenerator {
        let draw: () -> UInt64

        func next() -> UInt64 { draw() }
    }

    private let generator: Generator?
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) {
        (generator, self.bytes) = (nil, bytes)
    }

    package init(_ generator: some RandomNumberGenerator) {
        var generator = generator
        (self.generator, bytes) = (Generator { generator.next() }, [])
    }

    package var isInput: Bool { generator == nil }

    /// Whether all bytes of the input have been used. A generator has no end.
    package var isEmpty: Bool { generator == nil && position >= bytes.count }

    // MARK: Choices

    package func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
        if var generator { return .random(in: range, using: &generator) }
        let span = UInt64(truncatingIfNeeded: range.upperBound) &- UInt64(truncatingIfNeeded: range.lowerBound)
        // As few bytes as the range needs, so that an input contains many choices.
        let byteCount = max(1, (71 - span.leadingZeroBitCount) / 8)
        let value = (0..<byteCount).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) }
        return range.lowerBound &+ Number(truncatingIfNeeded: span == .max ? value : value % (span + 1))
    }

    package func number<Number: FixedWidthInteger>(in range: Range<Number>) -> Number {
        number(in: range.lowerBound...range.upperBound - 1)
    }

    package func chance(_ percent: Int) -> Bool {
        guard generator == nil else { return number(in: 0..<100) < percent }
        return Int(byte()) * 100 < percent << 8
    }

    package func element<Elements: RandomAccessCollection>(of elements: Elements) -> Elements.Element? {
        guard !elements.isEmpty else { return nil }
        return elements[elements.index(elements.startIndex, offsetBy: number(in: 0..<elements.count))]
    }

    package func reordered<Element>(_ elements: [Element]) -> [Element] {
        if var generator { return elements.shuffled(using: &generator) }
        var rest = elements
        return elements.map { _ in rest.remove(at: number(in: 0..<rest.count)) }
    }

    // MARK: Bytes, and values in the form of few bytes

    package func byte() -> UInt8 {
        if var generator { return .random(in: 0...255, using: &generator) }
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    package func flag() -> Bool { byte() & 1 == 1 }

    /// A number less than `count`, which is at most 256.
    package func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// A number: mostly small, often one at the limit of a type, seldom any other.
    package func number() -> UInt64 {
        let first = byte()
        switch first {
        case 0..<0xC0: return UInt64(first)
        case 0xC0..<0xE0: return 1 << (UInt64(first & 0x1F) * 2)
        case 0xE0..<0xF0: return UInt64(first & 0xF) << 12
        case 0xF0..<0xF4: return UInt64.max - UInt64(first & 3)
        case 0xF4..<0xF8: return UInt64(UInt32.max) + UInt64(first & 3) - 1
        default: return (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) }
        }
    }

    package func number32() -> UInt32 { UInt32(truncatingIfNeeded: number()) }

    /// The length of a list with a limit: mostly short, sometimes at the limit or one beyond it.
    package func count(upTo limit: Int) -> Int {
        let first = Int(byte())
        switch first {
        case 0..<0xE0: return min(first & 7, limit)
        case 0xE0..<0xF0: return limit - min(first & 3, limit)
        case 0xF0..<0xF8: return limit / 2
        default: return limit + 1
        }
    }

    package func take(_ count: Int) -> [UInt8] {
        guard generator == nil else { return (0..<max(0, count)).map { _ in byte() } }
        let end = min(bytes.count, position + max(0, count))
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// All bytes of the input that have not been used.
    package func rest() -> [UInt8] { take(generator == nil ? bytes.count : 0) }
}
