/// Writes the protobuf wire encoding: fields are written to reserved memory in ascending order of their numbers.
///
/// Absent values and empty repeated fields are left out. A scalar that is present is written even if it is 0, because
/// the schema distinguishes it from an absent one (explicit presence).
///
/// Fields that do not fit the memory are left out, so that the length of a message need not be known before it is
/// written. If an output is full at the end, the message must be written again into a larger one.
extension OutputSpan<UInt8> {
    /// Appends the lowest `length` bytes of a number, the lowest first.
    @inline(__always)
    mutating func append(_ length: Int, bytesOf word: UInt64) {
        guard freeCapacity >= 8 else { return appendToEnd(length, bytesOf: word) }
        let place = count
        append(repeating: 0, count: 8)
        var span = mutableSpan
        // Any byte is a valid element, and the store is checked against the span.
        var bytes = unsafe span.mutableBytes
        bytes.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
        removeLast(8 - length)
    }

    @inline(never)
    private mutating func appendToEnd(_ length: Int, bytesOf word: UInt64) {
        for index in 0..<Swift.min(length, freeCapacity) {
            append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index)))
        }
    }

    /// Spreads the lowest 56 bits of a number over bytes of seven bits each.
    @inline(__always)
    private static func spread(_ value: UInt64) -> UInt64 {
        var word = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4
        word = word & 0x0000_3FFF_0000_3FFF | (word & 0x0FFF_C000_0FFF_C000) << 2
        return word & 0x007F_007F_007F_007F | (word & 0x3F80_3F80_3F80_3F80) << 1
    }

    /// The varint of a number of at most 56 bits. All but its last byte have the upper bit set.
    @inline(__always)
    private static func varint(_ value: UInt64) -> (word: UInt64, length: Int) {
        let length = (70 - (value | 1).leadingZeroBitCount) / 7
        return (spread(value) | continued & (1 &<< UInt64(8 * (length - 1)) &- 1), length)
    }

    /// The upper bit of eight bytes.
    @inline(__always)
    private static var continued: UInt64 { 0x8080_8080_8080_8080 }

    @inline(__always)
    mutating func appendVarint(_ value: UInt64) {
        if value < 0x80 { append(1, bytesOf: value) } else { appendLongVarint(value) }
    }

    @inline(never)
    private mutating func appendLongVarint(_ value: UInt64) {
        guard value < 1 << 56 else {
            append(8, bytesOf: Self.spread(value) | Self.continued)
            return appendVarint(value >> 56)
        }
        let (word, length) = Self.varint(value)
        append(length, bytesOf: word)
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ value: UInt64?) {
        if let value { appendField(number, value) }
    }

    @inline(never)
    private mutating func appendField(_ number: UInt32, _ value: UInt64) {
        let key = UInt64(number) << 3
        guard number < 16 else {
            appendVarint(key)
            return appendVarint(value)
        }
        // Most fields take two bytes, and nearly all at most eight.
        if value < 0x80 { return append(2, bytesOf: value << 8 | key) }
        guard value < 1 << 49 else {
            append(8, bytesOf: (Self.spread(value) | Self.continued) << 8 | key)
            return appendVarint(value >> 49)
        }
        let (word, length) = Self.varint(value)
        append(length + 1, bytesOf: word << 8 | key)
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ value: UInt32?) {
        if let value { appendField(number, UInt64(value)) }
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ value: Bool?) {
        if let value { appendField(number, value ? UInt64(1) : 0) }
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ value: String?) {
        if let value { appendField(number, bytes: value.utf8.span) }
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ value: [UInt8]?) {
        if let value { appendField(number, bytes: value.span) }
    }

    @inline(never)
    private mutating func appendField(_ number: UInt32, bytes text: Span<UInt8>) {
        appendLength(text.count, ofField: number)
        let count = Swift.min(text.count, freeCapacity)
        let bytes = unsafe text.bytes
        var done = 0
        // Every bit pattern is a number, and the loads are checked against the span.
        while count - done >= 8 {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: done, as: UInt64.self)
            append(8, bytesOf: UInt64(littleEndian: word))
            done += 8
        }
        let rest = count - done
        guard rest > 0 else { return }
        guard done > 0 else {
            for index in 0..<count { append(text[index]) }
            return
        }
        // The last word overlaps the one before it.
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        append(rest, bytesOf: UInt64(littleEndian: word) >> UInt64(8 * (8 - rest)))
    }

    /// Appends the key of a field of bytes, and their number.
    @inline(__always)
    private mutating func appendLength(_ length: Int, ofField number: UInt32) {
        let key = UInt64(number) << 3 | 2
        if number < 16, length < 0x80 { return append(2, bytesOf: UInt64(length) << 8 | key) }
        appendVarint(key)
        appendVarint(UInt64(length))
    }

    mutating func appendField(_ number: UInt32, repeated values: [String]) {
        for value in values { appendField(number, value) }
    }

    /// Appends packed numbers, as proto3 does by default.
    mutating func appendField(_ number: UInt32, repeated values: [UInt32]) {
        guard !values.isEmpty else { return }
        appendMessage(number) { output in
            for value in values { output.appendVarint(UInt64(value)) }
        }
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, _ message: (some ProtobufMessage)?) {
        guard let message else { return }
        appendMessage(number) { output in message.encode(into: &output) }
    }

    @inline(__always)
    mutating func appendField(_ number: UInt32, repeated messages: [some ProtobufMessage]) {
        for message in messages { appendField(number, message) }
    }

    /// Appends a message, preceded by its length, which is known only afterwards. One byte is left free for it, which
    /// is enough for most messages; longer ones are moved.
    @inline(__always)
    private mutating func appendMessage(_ number: UInt32, _ body: (inout OutputSpan<UInt8>) -> Void) {
        appendLength(0, ofField: number)
        let start = count
        body(&self)
        guard !isFull else { return }
        let length = count - start
        if length < 0x80 { self[start - 1] = UInt8(length) } else { insertLength(before: start) }
    }

    @inline(never)
    private mutating func insertLength(before start: Int) {
        let end = count
        appendVarint(UInt64(end - start))
        guard !isFull else { return }
        // The length was written after the message. The two change places, except for the byte that was left free.
        let size = count - end
        var length: UInt64 = 0
        for index in 0..<size { length |= UInt64(self[end + index]) << UInt64(8 * index) }
        removeLast(1)
        for index in stride(from: end - 1, through: start, by: -1) { self[index + size - 1] = self[index] }
        for index in 0..<size { self[start - 1 + index] = UInt8(truncatingIfNeeded: length >> UInt64(8 * index)) }
    }
}

extension [UInt8] {
    package mutating func appendVarint(_ value: UInt64) {
        append(filling: 11) { output in output.appendVarint(value) }
    }

    /// Appends the bytes that `write` puts into memory of at least `room` bytes. If it fills all of the memory, fields
    /// may have been left out, so it is called again with more.
    @inlinable
    @inline(__always)
    package mutating func append(filling room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let start = count
        var room = room
        var isWhole = false
        while true {
            append(addingCapacity: room) { output in
                write(&output)
                isWhole = !output.isFull
            }
            if isWhole { return }
            removeSubrange(start...)
            room *= 4
        }
    }
}

extension ProtobufMessage {
    package func encode(into bytes: inout [UInt8]) {
        bytes.append(filling: 256) { output in encode(into: &output) }
    }
}
