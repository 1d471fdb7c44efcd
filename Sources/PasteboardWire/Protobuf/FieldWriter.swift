/// Writes the fields of the two frames that the broker sends for every load, an ask and an answer.
///
/// Unlike the encoding of other messages, it does not check for each field whether there is room. The caller provides
/// memory for all of them: `numberRoom` bytes for each number, and the length of each name and `numberRoom` more. The
/// stores are checked against the memory.
struct FieldWriter {
    /// The greatest number of bytes of a number with its key, and of a word that is stored at its end.
    static let numberRoom = 20

    /// The offset after the last field.
    private(set) var end: Int

    init(at start: Int) {
        end = start
    }

    @inline(__always)
    private mutating func put(_ count: Int, bytesOf word: UInt64, in memory: inout MutableRawSpan) {
        memory.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
        end += count
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: UInt64, in memory: inout MutableRawSpan) {
        if value < 0x80 { return put(2, bytesOf: value << 8 | number << 3, in: &memory) }
        putLong(number << 3, value, in: &memory)
    }

    @inline(never)
    private mutating func putLong(_ key: UInt64, _ value: UInt64, in memory: inout MutableRawSpan) {
        // Eight groups of seven bits, one in each byte. All bytes of the number but its last have the upper bit set.
        var word = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4
        word = word & 0x0000_3FFF_0000_3FFF | (word & 0x0FFF_C000_0FFF_C000) << 2
        word = word & 0x007F_007F_007F_007F | (word & 0x3F80_3F80_3F80_3F80) << 1
        guard value >= 1 << 49 else {
            let count = (70 - value.leadingZeroBitCount) / 7
            word |= 0x8080_8080_8080_8080 & (1 &<< UInt64(8 * (count - 1)) &- 1)
            return put(count + 1, bytesOf: word << 8 | key, in: &memory)
        }
        put(1, bytesOf: key, in: &memory)
        guard value >= 1 << 56 else {
            return put(8, bytesOf: word | 0x0080_8080_8080_8080, in: &memory)
        }
        put(8, bytesOf: word | 0x8080_8080_8080_8080, in: &memory)
        let high = value >> 56
        put(high < 0x80 ? 1 : 2, bytesOf: high < 0x80 ? high : high & 0x7F | 0x180, in: &memory)
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: UInt64?, in memory: inout MutableRawSpan) {
        if let value { put(number, value, in: &memory) }
    }

    mutating func put(_ number: UInt64, name: Span<UInt8>, in memory: inout MutableRawSpan) {
        let count = name.count
        put(1, bytesOf: number << 3 | 2, in: &memory)
        var length = UInt64(count)
        while length >= 0x80 {
            put(1, bytesOf: length & 0x7F | 0x80, in: &memory)
            length >>= 7
        }
        put(1, bytesOf: length, in: &memory)
        guard count >= 8 else {
            for index in name.indices { put(1, bytesOf: UInt64(name[index]), in: &memory) }
            return
        }
        let bytes = unsafe name.bytes
        // Every bit pattern is a number, and the loads are checked against the span. The last word overlaps the one
        // before it.
        var offset = 0
        while offset < count - 8 {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            memory.storeBytes(of: word, toByteOffset: end + offset, as: UInt64.self)
            offset += 8
        }
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        memory.storeBytes(of: word, toByteOffset: end + count - 8, as: UInt64.self)
        end += count
    }
}
