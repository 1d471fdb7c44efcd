/// Writes fields without a check for each of them whether there is room: the three frames that precede the bytes of a
/// load (a load of one type, its ask and its answer), and single fields for `FieldEncoder`.
///
/// The caller provides memory for all of them: `numberRoom` bytes for each number, and the length of each name and
/// `numberRoom` more. The stores are checked against the memory.
struct FieldWriter {
    /// The greatest number of bytes of a number with its key, and of a word that is stored at its end.
    static let numberRoom = 20

    /// The offset after the last field.
    private(set) var end: Int

    init(at start: Int) {
        end = start
    }

    /// Leaves bytes free that are written in another way.
    @inline(__always)
    mutating func skip(_ count: Int) {
        end &+= count
    }

    @inline(__always)
    mutating func put(_ count: Int, bytesOf word: UInt64, in memory: inout MutableRawSpan) {
        memory.storeBytes(of: word.littleEndian, toByteOffset: end, as: UInt64.self)
        end &+= count
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: UInt64, in memory: inout MutableRawSpan) {
        put(key: number << 3, value, in: &memory)
    }

    /// - Parameter key: The number of the field times 8, or the last byte of a longer key.
    @inline(__always)
    mutating func put(key: UInt64, _ value: UInt64, in memory: inout MutableRawSpan) {
        if value < 0x80 { return put(2, bytesOf: value << 8 | key, in: &memory) }
        // Most long numbers are credits and times, of two or three groups of seven bits.
        guard value < 1 << 21 else {
            end = Self.putLong(key, value, at: end, in: &memory)
            return
        }
        let groups = value & 0x7F | (value & 0x3F80) << 1 | (value & 0x1F_C000) << 2
        if value < 1 << 14 {
            put(3, bytesOf: (groups | 0x80) << 8 | key, in: &memory)
        } else {
            put(4, bytesOf: (groups | 0x8080) << 8 | key, in: &memory)
        }
    }

    @inline(__always)
    mutating func put(_ handle: EncodedHandle, in memory: inout MutableRawSpan) {
        put(8, bytesOf: handle.words.first, in: &memory)
        // Moves the end back if the field has fewer than eight bytes.
        put(handle.byteCount &- 8, bytesOf: handle.words.second, in: &memory)
    }

    // The calls return the new end instead of changing the writer, which stays in a register.
    @inline(never)
    private static func putLong(
        _ key: UInt64,
        _ value: UInt64,
        at start: Int,
        in memory: inout MutableRawSpan
    ) -> Int {
        var writer = FieldWriter(at: start)
        // Eight groups of seven bits, one in each byte. All bytes of the number but its last have the upper bit set.
        var word = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4
        word = word & 0x0000_3FFF_0000_3FFF | (word & 0x0FFF_C000_0FFF_C000) << 2
        word = word & 0x007F_007F_007F_007F | (word & 0x3F80_3F80_3F80_3F80) << 1
        guard value >= 1 << 49 else {
            let count = (70 - value.leadingZeroBitCount) / 7
            word |= 0x8080_8080_8080_8080 & (1 &<< UInt64(8 * (count - 1)) &- 1)
            writer.put(count + 1, bytesOf: word << 8 | key, in: &memory)
            return writer.end
        }
        writer.put(1, bytesOf: key, in: &memory)
        guard value >= 1 << 56 else {
            writer.put(8, bytesOf: word | 0x0080_8080_8080_8080, in: &memory)
            return writer.end
        }
        writer.put(8, bytesOf: word | 0x8080_8080_8080_8080, in: &memory)
        let high = value >> 56
        writer.put(high < 0x80 ? 1 : 2, bytesOf: high < 0x80 ? high : high & 0x7F | 0x180, in: &memory)
        return writer.end
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: UInt64?, in memory: inout MutableRawSpan) {
        if let value { put(number, value, in: &memory) }
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: UInt32?, in memory: inout MutableRawSpan) {
        if let value { put(number, UInt64(value), in: &memory) }
    }

    @inline(__always)
    mutating func put(_ number: UInt64, _ value: Bool?, in memory: inout MutableRawSpan) {
        if let value { put(number, value ? 1 : 0, in: &memory) }
    }

    /// Writes a message of less than 128 bytes.
    @inline(__always)
    mutating func put(
        _ number: UInt64,
        in memory: inout MutableRawSpan,
        _ body: (inout FieldWriter, inout MutableRawSpan) -> Void
    ) {
        let start = end
        end &+= 2
        body(&self, &memory)
        let length = UInt16(truncatingIfNeeded: end &- start &- 2)
        let word = length << 8 | UInt16(truncatingIfNeeded: number << 3 | 2)
        memory.storeBytes(of: word.littleEndian, toByteOffset: start, as: UInt16.self)
    }

    @inline(__always)
    mutating func put(_ number: UInt64, name: Span<UInt8>, in memory: inout MutableRawSpan) {
        put(key: number << 3 | 2, name: name, in: &memory)
    }

    @inline(__always)
    mutating func put(key: UInt64, name: Span<UInt8>, in memory: inout MutableRawSpan) {
        end = Self.put(key, name: name, at: end, in: &memory)
    }

    @inline(never)
    private static func put(
        _ key: UInt64,
        name: Span<UInt8>,
        at start: Int,
        in memory: inout MutableRawSpan
    ) -> Int {
        let count = name.count
        var writer = FieldWriter(at: start)
        if count < 0x80 {
            writer.put(2, bytesOf: UInt64(truncatingIfNeeded: count) << 8 | key, in: &memory)
        } else {
            writer.end = putLong(key, UInt64(count), at: start, in: &memory)
        }
        guard count >= 8 else {
            for index in name.indices { writer.put(1, bytesOf: UInt64(name[index]), in: &memory) }
            return writer.end
        }
        let bytes = unsafe name.bytes
        // Every bit pattern is a number, and the loads are checked against the span. The last word overlaps the one
        // before it.
        var offset = 0
        while offset < count &- 8 {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            memory.storeBytes(of: word, toByteOffset: writer.end &+ offset, as: UInt64.self)
            offset = offset &+ 8
        }
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        memory.storeBytes(of: word, toByteOffset: writer.end &+ count &- 8, as: UInt64.self)
        return writer.end &+ count
    }
}
