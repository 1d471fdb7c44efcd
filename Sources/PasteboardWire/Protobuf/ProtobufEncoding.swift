/// Writes the protobuf wire encoding: fields are written to reserved memory in ascending order of their numbers.
///
/// Absent values and empty repeated fields are left out. A scalar that is present is written even if it is 0, because
/// the schema distinguishes it from an absent one (explicit presence).
///
/// Fields that do not fit the memory are left out, so that the length of a message need not be known before it is
/// written. If an output is full at the end, the message must be written again into a larger one.
extension OutputSpan<UInt8> {
    mutating func put(_ byte: UInt8) {
        if !isFull { append(byte) }
    }

    /// Appends the eight bytes of a number, the lowest first. There must be room for them.
    mutating func append(word: UInt64) {
        let place = count
        append(repeating: 0, count: 8)
        var span = mutableSpan
        // Any byte is a valid element, and the store is checked against the span.
        var bytes = unsafe span.mutableBytes
        bytes.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
    }

    mutating func appendVarint(_ value: UInt64) {
        var rest = value
        if value >= 0x80, freeCapacity >= 8 {
            // Spreads the number over eight bytes of seven bits each. All but the last byte of the number have the
            // upper bit set.
            let count = Swift.min((63 - value.leadingZeroBitCount) / 7 + 1, 9)
            var word = value & 0x0FFF_FFFF | (value & 0x00FF_FFFF_F000_0000) << 4
            word = word & 0x0000_3FFF_0000_3FFF | (word & 0x0FFF_C000_0FFF_C000) << 2
            word = word & 0x007F_007F_007F_007F | (word & 0x3F80_3F80_3F80_3F80) << 1
            append(word: word | 0x8080_8080_8080_8080 & (1 << UInt64(8 * (count - 1)) &- 1))
            guard count > 8 else { return removeLast(8 - count) }
            rest >>= 56
        }
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    mutating func appendField(_ number: UInt32, _ value: UInt64?) {
        guard let value else { return }
        // Most fields take two bytes.
        if value < 0x80, number < 16, freeCapacity >= 2 {
            append(UInt8(truncatingIfNeeded: number << 3))
            append(UInt8(truncatingIfNeeded: value))
            return
        }
        appendVarint(UInt64(number) << 3)
        appendVarint(value)
    }

    mutating func appendField(_ number: UInt32, _ value: UInt32?) {
        appendField(number, value.map { UInt64($0) })
    }

    mutating func appendField(_ number: UInt32, _ value: Bool?) {
        appendField(number, value.map { $0 ? UInt64(1) : 0 })
    }

    mutating func appendField(_ number: UInt32, _ value: String?) {
        guard let value else { return }
        appendField(number, bytes: value.utf8.span)
    }

    mutating func appendField(_ number: UInt32, _ value: [UInt8]?) {
        guard let value else { return }
        appendField(number, bytes: value.span)
    }

    private mutating func appendField(_ number: UInt32, bytes text: Span<UInt8>) {
        appendVarint(UInt64(number) << 3 | 2)
        appendVarint(UInt64(text.count))
        let count = Swift.min(text.count, freeCapacity)
        var done = 0
        while count - done >= 8 {
            // Every bit pattern is a number, and the load is checked against the span.
            let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: done, as: UInt64.self)
            append(word: UInt64(littleEndian: word))
            done += 8
        }
        for index in done..<count { append(text[index]) }
    }

    mutating func appendField(_ number: UInt32, repeated values: [String]) {
        for value in values {
            appendField(number, value)
        }
    }

    /// Appends packed numbers, as proto3 does by default.
    mutating func appendField(_ number: UInt32, repeated values: [UInt32]) {
        guard !values.isEmpty else { return }
        appendMessage(number) { output in
            for value in values {
                output.appendVarint(UInt64(value))
            }
        }
    }

    mutating func appendField(_ number: UInt32, _ message: (some ProtobufMessage)?) {
        guard let message else { return }
        appendMessage(number) { output in message.encode(into: &output) }
    }

    mutating func appendField(_ number: UInt32, repeated messages: [some ProtobufMessage]) {
        for message in messages {
            appendField(number, message)
        }
    }

    /// Appends a message, preceded by its length, which is known only afterwards. One byte is left free for it, which
    /// is enough for most messages; longer ones are moved.
    private mutating func appendMessage(_ number: UInt32, _ body: (inout OutputSpan<UInt8>) -> Void) {
        appendVarint(UInt64(number) << 3 | 2)
        let start = count
        put(0)
        body(&self)
        guard !isFull else { return }
        let length = count - start - 1
        guard length >= 0x80 else {
            self[start] = UInt8(truncatingIfNeeded: length)
            return
        }
        let end = count
        appendVarint(UInt64(length))
        guard !isFull else { return }
        // The length was written after the message. The two change places, except for the byte that was left free.
        let size = count - end
        var prefix: UInt64 = 0
        for index in 0..<size { prefix |= UInt64(self[end + index]) << UInt64(8 * index) }
        removeLast(1)
        for index in stride(from: end - 1, through: start + 1, by: -1) { self[index + size - 1] = self[index] }
        for index in 0..<size { self[start + index] = UInt8(truncatingIfNeeded: prefix >> UInt64(8 * index)) }
    }
}

extension [UInt8] {
    package mutating func appendVarint(_ value: UInt64) {
        append(filling: 11) { output in output.appendVarint(value) }
    }

    /// Appends the bytes that `write` puts into memory of at least `room` bytes. If it fills all of the memory, fields
    /// may have been left out, so it is called again with more.
    mutating func append(filling room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
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
