/// Reads choices and values from the bytes of an input. After the last byte all of them are 0.
struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isEmpty: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// A number less than `count`.
    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    mutating func element<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[choice(elements.count)]
    }

    /// A number: mostly small, often one at the limit of a type, seldom any other.
    mutating func number() -> UInt64 {
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

    mutating func number32() -> UInt32 { UInt32(truncatingIfNeeded: number()) }

    /// The length of a list with a limit: mostly short, sometimes at the limit or one beyond it.
    mutating func count(upTo limit: Int) -> Int {
        let first = Int(byte())
        switch first {
        case 0..<0xE0: return min(first & 7, limit)
        case 0xE0..<0xF0: return limit - min(first & 3, limit)
        case 0xF0..<0xF8: return limit / 2
        default: return limit + 1
        }
    }

    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + max(0, count))
        defer { position = end }
        return Array(bytes[position..<end])
    }

    mutating func rest() -> [UInt8] { take(bytes.count) }
}
