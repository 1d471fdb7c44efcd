/// The wire encoding of protobuf: numbers, and the errors of messages that do not decode.
enum Protobuf {
    @inline(never)
    static func malformed(_ what: StaticString) -> Failure {
        Failure(.invalidArgument, "a message does not decode: \(what) is malformed")
    }

    @inline(never)
    static func malformed(field number: UInt32) -> Failure {
        Failure(.invalidArgument, "a message does not decode: field \(number) is malformed")
    }

    /// Reads the key of a field, which is its number times 8 plus its wire type, and its number or the count of its
    /// bytes.
    ///
    /// A fixed field of 32 or 64 bits is read as its bytes. This schema has none, so it is skipped.
    @inline(__always)
    static func field(in bytes: Span<UInt8>, at offset: inout Int, end: Int) throws(Failure) -> (UInt64, UInt64) {
        let key = try Self.varint(in: bytes, at: &offset, end: end)
        guard key >= 8, key < 1 << 32 else { throw Self.malformed("a field number") }
        switch key & 7 {
        case 0:
            return (key, try Self.varint(in: bytes, at: &offset, end: end))
        case 2:
            let length = try Self.varint(in: bytes, at: &offset, end: end)
            guard length <= UInt64(end - offset) else { throw Self.malformed("a length") }
            return (key, length)
        case 1, 5:
            let length = key & 7 == 1 ? 8 : 4
            guard end - offset >= length else { throw Self.malformed("a fixed field") }
            return (key, UInt64(length))
        default:
            throw Self.malformed("a wire type")
        }
    }

    /// Most numbers are less than 128 and take one byte.
    @inline(__always)
    static func varint(in bytes: Span<UInt8>, at offset: inout Int, end: Int) throws(Failure) -> UInt64 {
        if offset < end {
            let byte = bytes[offset]
            if byte < 0x80 {
                offset += 1
                return UInt64(byte)
            }
        }
        let (value, next) = try Self.longVarint(in: bytes, at: offset, end: end)
        offset = next
        return value
    }

    /// Joins the lower seven bits of each byte.
    @inline(__always)
    private static func joined(_ bytes: UInt64) -> UInt64 {
        var word = bytes & 0x7F7F_7F7F_7F7F_7F7F
        word = word & 0x007F_007F_007F_007F | (word & 0x7F00_7F00_7F00_7F00) >> 1
        word = word & 0x0000_3FFF_0000_3FFF | (word & 0x3FFF_0000_3FFF_0000) >> 2
        return word & 0x0FFF_FFFF | (word & 0x0FFF_FFFF_0000_0000) >> 4
    }

    @inline(never)
    static func longVarint(
        in bytes: Span<UInt8>,
        at offset: Int,
        end: Int
    ) throws(Failure) -> (value: UInt64, next: Int) {
        let word = Self.word(in: bytes, at: offset)
        // The first byte without its upper bit is the last byte of the number.
        let last = ~word & 0x8080_8080_8080_8080
        guard last == 0 else {
            let next = offset &+ (last.trailingZeroBitCount &>> 3 &+ 1)
            guard next <= end else { throw Self.malformed("a number") }
            return (Self.joined(word & (last ^ (last &- 1))), next)
        }
        // A number has at most ten bytes, of which the last contributes one bit.
        guard end - offset > 8 else { throw Self.malformed("a number") }
        let ninth = UInt64(bytes[offset + 8])
        let value = Self.joined(word) | (ninth & 0x7F) << 56
        guard ninth >= 0x80 else { return (value, offset + 9) }
        guard end - offset > 9, bytes[offset + 9] <= 1 else { throw Self.malformed("a number") }
        return (value | UInt64(bytes[offset + 9]) << 63, offset + 10)
    }

    /// The eight bytes from an offset on, the first in the lowest bits. Bytes after the last one are 0.
    @inline(__always)
    private static func word(in bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        let start = min(offset, bytes.count - 8)
        guard start >= 0 else {
            return (offset..<max(offset, bytes.count)).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
        }
        // Every bit pattern is a number, and the load is checked against the span.
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self)
        return start == offset ? UInt64(littleEndian: word) : UInt64(littleEndian: word) >> UInt64(8 * (offset - start))
    }

    @inline(never)
    static func notUTF8(field number: UInt32) -> Failure {
        Failure(.invalidArgument, "a message does not decode: field \(number) is not UTF-8")
    }
}
