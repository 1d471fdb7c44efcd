/// Reads the fields of an ask, which a source receives for every load, and of an answer, which its destination
/// receives.
///
/// The key and the value of most fields take two bytes, which are loaded together. The errors are those of other
/// messages.
struct FieldReader {
    /// The number of the field times 8, plus its wire type.
    private(set) var key: UInt64 = 0
    /// The value of a numeric field, or the number of bytes of a text.
    private(set) var value: UInt64 = 0
    /// The offset of the field's key.
    private var start: Int
    /// The offset after its value or length.
    private var offset: Int
    /// The offset after the message.
    private let end: Int

    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Failure) {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { throw Protobuf.malformed("a length") }
        start = range.lowerBound
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The low 32 bits of the number, as protobuf defines it.
    var value32: UInt32 { UInt32(truncatingIfNeeded: value) }

    /// Reads the next field; false at the end of the message. The caller then calls `text` for a text, and `skip`
    /// for an unknown field.
    @inline(__always)
    mutating func next(in bytes: Span<UInt8>) throws(Failure) -> Bool {
        start = offset
        guard end &- offset >= 2 else { return try nextLong(in: bytes) }
        // Every bit pattern is a number, and the load is checked against the span.
        let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
        let word = UInt64(UInt16(littleEndian: loaded))
        // A key of one byte, with the wire type of a number or of bytes. The value is often one byte, too.
        guard word & 0x85 == 0 else { return try nextLong(in: bytes) }
        key = word & 0xFF
        if word & 0x8000 == 0 {
            value = word &>> 8
            offset = offset &+ 2
        } else {
            // No field has a smaller key.
            guard key >= 8 else { return try nextLong(in: bytes) }
            if !nextGroups(in: bytes) {
                (value, offset) = try Protobuf.longVarint(in: bytes, at: offset &+ 1, end: end)
            }
        }
        return true
    }

    /// Reads a value of two or three groups of seven bits, like most credits and times. Returns false, and reads
    /// nothing, if the value is longer or fewer than four bytes are left.
    @inline(__always)
    private mutating func nextGroups(in bytes: Span<UInt8>) -> Bool {
        guard end &- offset >= 4 else { return false }
        let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
        // After the key.
        let word = UInt64(UInt32(littleEndian: loaded)) &>> 8
        let two = word & 0x7F | (word & 0x7F00) &>> 1
        if word & 0x8000 == 0 {
            value = two
            offset = offset &+ 3
        } else {
            guard word & 0x80_0000 == 0 else { return false }
            value = two | (word & 0x7F_0000) &>> 2
            offset = offset &+ 4
        }
        return true
    }

    @inline(__always)
    private mutating func nextLong(in bytes: Span<UInt8>) throws(Failure) -> Bool {
        guard offset < end else { return false }
        (key, value, offset) = try Self.long(in: bytes, at: offset, end: end)
        return true
    }

    /// Reads a field with a longer key, or at the end of the message.
    @inline(never)
    private static func long(in bytes: Span<UInt8>, at start: Int, end: Int) throws(Failure) -> (UInt64, UInt64, Int) {
        var offset = start
        let key = try Protobuf.varint(in: bytes, at: &offset, end: end)
        // No field is known that has another wire type or number, so it is skipped.
        guard key & 5 == 0, key >= 8, key < 1 << 32 else { return (0, 0, offset) }
        let value = try Protobuf.varint(in: bytes, at: &offset, end: end)
        return (key, value, offset)
    }

    /// Moves after the bytes of the field, which must be UTF-8, and returns their range.
    @inline(__always)
    mutating func text(in bytes: Span<UInt8>) throws(Failure) -> Range<UInt32> {
        guard value <= UInt64(truncatingIfNeeded: end &- offset) else { throw Protobuf.malformed("a length") }
        let range = offset..<offset &+ Int(truncatingIfNeeded: value)
        guard bytes.extracting(range).isUTF8 else { throw Protobuf.notUTF8(field: UInt32(key >> 3)) }
        offset = range.upperBound
        return UInt32(clamping: range.lowerBound)..<UInt32(clamping: range.upperBound)
    }

    /// Moves after a field that is not known. If its number is at most `last`, it has the wrong type.
    @inline(__always)
    mutating func skip(after last: UInt32, in bytes: Span<UInt8>) throws(Failure) {
        offset = try Self.skip(after: last, in: bytes, at: start, end: end)
    }

    @inline(never)
    private static func skip(
        after last: UInt32,
        in bytes: Span<UInt8>,
        at start: Int,
        end: Int
    ) throws(Failure) -> Int {
        var offset = start
        let (key, value) = try Protobuf.field(in: bytes, at: &offset, end: end)
        let number = UInt32(key >> 3)
        guard number > last else { throw Protobuf.malformed(field: number) }
        return key & 7 == 0 ? offset : offset + Int(value)
    }
}
