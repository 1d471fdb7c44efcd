/// Writes the fields of messages one after the other, into memory that is reused and stays initialized.
package struct FieldEncoder: FieldVisitor, Sendable {
    /// The fields, and unused bytes after `count`.
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    @inline(__always)
    package mutating func callAsFunction<Value: WireValue>(
        _ number: UInt32,
        _ name: StaticString,
        _ value: inout Value,
        most: Int
    ) {
        value.encode(as: number, into: &self)
    }

    @inline(__always)
    mutating func put(_ message: some ProtobufMessage) {
        // A visitor may change the fields, but this one does not.
        var message = message
        message.fields(to: &self)
    }

    mutating func removeAll(from start: Int) {
        count = Swift.min(count, start)
    }

    // MARK: Memory

    /// Calls `body` with memory that has `room` bytes after those written.
    @inline(__always)
    mutating func write(
        room: Int = FieldWriter.numberRoom,
        _ body: (inout FieldWriter, inout MutableRawSpan) -> Void
    ) {
        if bytes.count &- count < room { grow(room) }
        var writer = FieldWriter(at: count)
        var span = bytes.mutableSpan
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe span.mutableBytes
        body(&writer, &memory)
        count = writer.end
    }

    /// Replaces eight bytes that were written before.
    mutating func replace(at offset: Int, by word: UInt64) {
        var span = bytes.mutableSpan
        // Any byte is a valid element, and the store is checked against the span.
        var memory = unsafe span.mutableBytes
        memory.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Appends bytes that are no field.
    mutating func append(_ payload: [UInt8]) {
        write(room: payload.count) { writer, _ in writer.skip(payload.count) }
        bytes.replaceSubrange(count - payload.count..<count, with: payload)
    }

    @inline(never)
    private mutating func grow(_ room: Int) {
        var larger = [UInt8](repeating: 0, count: 2 * bytes.count + max(1024, room))
        larger.replaceSubrange(0..<bytes.count, with: bytes)
        bytes = larger
    }

    // MARK: Values

    @inline(never)
    mutating func put(_ number: UInt32, _ value: UInt64) {
        let key = lastByte(ofKey: UInt64(number) << 3)
        write { writer, memory in writer.put(key: key, value, in: &memory) }
    }

    @inline(never)
    mutating func put(_ number: UInt32, bytes text: Span<UInt8>) {
        let key = lastByte(ofKey: UInt64(number) << 3 | 2)
        write(room: FieldWriter.numberRoom + text.count) { writer, memory in
            writer.put(key: key, name: text, in: &memory)
        }
    }

    @inline(never)
    mutating func putVarint(_ value: UInt64) {
        // A byte of seven bits and a number is a longer number.
        write { writer, memory in
            if value < 0x80 {
                writer.put(1, bytesOf: value, in: &memory)
            } else {
                writer.put(key: value & 0x7F | 0x80, value >> 7, in: &memory)
            }
        }
    }

    /// Writes the first byte of a key that has two.
    @inline(__always)
    private mutating func lastByte(ofKey key: UInt64) -> UInt64 {
        guard key >= 0x80 else { return key }
        write { writer, memory in writer.put(1, bytesOf: key & 0x7F | 0x80, in: &memory) }
        return key >> 7
    }

    /// Writes a message or a list, preceded by its length, which is known only afterwards. One byte is left free for
    /// it, which is enough for most messages; longer ones are moved.
    @inline(__always)
    mutating func putPrefixed(_ number: UInt32, _ body: (inout FieldEncoder) -> Void) {
        put(number, bytes: Span())
        let start = count
        body(&self)
        let length = count - start
        if length < 0x80 { bytes[start - 1] = UInt8(length) } else { insertLength(before: start) }
    }

    @inline(never)
    private mutating func insertLength(before start: Int) {
        let end = count
        putVarint(UInt64(end - start))
        let moved = Array(bytes[end..<count] + bytes[start..<end])
        count -= 1
        bytes.replaceSubrange(start - 1..<count, with: moved)
    }
}
