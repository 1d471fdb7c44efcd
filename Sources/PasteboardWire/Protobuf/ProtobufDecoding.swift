/// Reads the protobuf wire encoding: one field after the other, without allocation and without recursion.
///
/// All work is bounded by the number of bytes. Malformed input throws `invalid-argument` and never traps.
@usableFromInline package struct ProtobufField: Sendable {
    package enum Value: Sendable {
        case number(UInt64)
        /// The range of the bytes of a string, message or packed list.
        case bytes(Range<Int>)
        /// A fixed field of 32 or 64 bits. This schema has none, so it is skipped.
        case skipped
    }

    package let number: UInt32
    package let value: Value
}

/// A message of the schema, or a part of one.
@usableFromInline package protocol ProtobufMessage: Sendable, Equatable {
    init()
    /// Writes all fields; those that do not fit are left out (see `OutputSpan.append`).
    func encode(into bytes: inout OutputSpan<UInt8>)
    /// Takes one field; an unknown field is ignored. It is called again for a repeated field: then the last scalar
    /// counts, messages are merged, and lists grow.
    mutating func decode(_ field: ProtobufField, in bytes: Span<UInt8>) throws(Failure)
}

extension ProtobufMessage {
    // Specialized for the messages of each load, so that decoding them needs no dynamic dispatch.
    @specialized(where Self == Load)
    @specialized(where Self == Answer)
    @specialized(where Self == Credit)
    package init(decoding bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        self.init()
        try merge(bytes, range: range)
    }

    package init(decoding bytes: Span<UInt8>) throws(Failure) {
        try self.init(decoding: bytes, range: 0..<bytes.count)
    }

    package init(decoding bytes: [UInt8]) throws(Failure) {
        try self.init(decoding: bytes.span)
    }

    package mutating func merge(_ bytes: Span<UInt8>, range: Range<Int>) throws(Failure) {
        guard range.lowerBound >= 0, range.upperBound <= bytes.count else { throw Protobuf.malformed("a length") }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let field = try Protobuf.field(in: bytes, at: &offset, end: range.upperBound)
            try decode(field, in: bytes)
        }
    }
}

package enum Protobuf {
    @inline(never)
    static func malformed(_ what: StaticString) -> Failure {
        Failure(.invalidArgument, "a message does not decode: \(what) is malformed")
    }

    @inline(never)
    static func malformed(field number: UInt32) -> Failure {
        Failure(.invalidArgument, "a message does not decode: field \(number) is malformed")
    }

    @inline(__always)
    static func field(in bytes: Span<UInt8>, at offset: inout Int, end: Int) throws(Failure) -> ProtobufField {
        let key = try Self.varint(in: bytes, at: &offset, end: end)
        guard key >= 8, key < 1 << 32 else { throw Self.malformed("a field number") }
        let number = UInt32(truncatingIfNeeded: key >> 3)
        switch key & 7 {
        case 0:
            return ProtobufField(number: number, value: .number(try Self.varint(in: bytes, at: &offset, end: end)))
        case 1:
            return try Self.skip(8, number: number, at: &offset, end: end)
        case 2:
            let length = try Self.varint(in: bytes, at: &offset, end: end)
            guard length <= UInt64(end - offset) else { throw Self.malformed("a length") }
            let start = offset
            offset += Int(length)
            return ProtobufField(number: number, value: .bytes(start..<offset))
        case 5:
            return try Self.skip(4, number: number, at: &offset, end: end)
        default:
            throw Self.malformed("a wire type")
        }
    }

    private static func skip(
        _ count: Int,
        number: UInt32,
        at offset: inout Int,
        end: Int
    ) throws(Failure) -> ProtobufField {
        guard end - offset >= count else { throw Self.malformed("a fixed field") }
        offset += count
        return ProtobufField(number: number, value: .skipped)
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

// Typed access to a field: the value in the type that a message needs, or an error.
extension ProtobufField {
    package func number64() throws(Failure) -> UInt64 {
        guard case .number(let value) = self.value else { throw Protobuf.malformed(field: number) }
        return value
    }

    /// The low 32 bits of the number, as protobuf defines it.
    package func number32() throws(Failure) -> UInt32 {
        UInt32(truncatingIfNeeded: try number64())
    }

    package func bool() throws(Failure) -> Bool {
        try number64() != 0
    }

    /// The range of the field's bytes. It throws if they are more than `limit`, before anything is stored.
    package func range(limit: Int = .max) throws(Failure) -> Range<Int> {
        guard case .bytes(let range) = value else { throw Protobuf.malformed(field: number) }
        guard range.count <= limit else {
            throw Failure(
                .limitExceeded,
                "field \(number) of a message has \(range.count) bytes; at most \(limit)"
            )
        }
        return range
    }

    /// The field as a string. It throws if it has more than `limit` bytes, before anything is stored.
    package func string(in bytes: Span<UInt8>, limit: Int = .max) throws(Failure) -> String {
        let range = try self.range(limit: limit)
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw Protobuf.notUTF8(field: number)
        }
    }

    /// The field's bytes. It throws if they are more than `limit`, before anything is stored.
    package func bytes(in bytes: Span<UInt8>, limit: Int) throws(Failure) -> [UInt8] {
        let range = try self.range(limit: limit)
        let chunk = bytes.extracting(range)
        var copy: [UInt8] = []
        copy.reserveCapacity(chunk.count)
        for index in chunk.indices { copy.append(chunk[index]) }
        return copy
    }

    package func message<Message: ProtobufMessage>(in bytes: Span<UInt8>) throws(Failure) -> Message {
        try Message(decoding: bytes, range: try range())
    }

    package func merge<Message: ProtobufMessage>(
        into message: inout Message?,
        in bytes: Span<UInt8>
    ) throws(Failure) {
        var merged = message ?? Message()
        try merged.merge(bytes, range: try range())
        message = merged
    }

    /// Appends to a list. It throws if the list would exceed `limit`, before anything is stored.
    package func append(to list: inout [String], limit: Int, in bytes: Span<UInt8>) throws(Failure) {
        try check(list.count, limit)
        list.append(try string(in: bytes))
    }

    package func append<Message: ProtobufMessage>(
        to list: inout [Message],
        limit: Int,
        in bytes: Span<UInt8>
    ) throws(Failure) {
        try check(list.count, limit)
        list.append(try message(in: bytes))
    }

    /// Appends one number or several packed ones: protobuf requires a reader to accept both.
    package func append(to list: inout [UInt32], limit: Int, in bytes: Span<UInt8>) throws(Failure) {
        guard case .bytes(let range) = self.value else {
            try check(list.count, limit)
            list.append(try number32())
            return
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try check(list.count, limit)
            let value = try Protobuf.varint(in: bytes, at: &offset, end: range.upperBound)
            list.append(UInt32(truncatingIfNeeded: value))
        }
    }

    private func check(_ count: Int, _ limit: Int) throws(Failure) {
        guard count < limit else {
            throw Failure(.limitExceeded, "a message lists more than \(limit) entries in field \(number)")
        }
    }
}
