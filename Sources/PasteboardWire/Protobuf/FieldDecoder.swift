/// Reads the fields of a message in one pass, because nearly all are sent in the order of their numbers. Fields in
/// another order take further passes, each of which reads at least one field.
///
/// All work is bounded by the number of bytes. Malformed input sets `failure`, which ends the fields, and never traps.
// The pointer is safe: `withFields` alone makes a decoder, which is not used after it, and every access is checked
// against the span of the pointer's bounds. A visitor cannot store the span itself, and a copy of the bytes would cost
// as much as decoding them.
@safe package struct FieldDecoder: FieldVisitor {
    private let input: UnsafeBufferPointer<UInt8>
    /// After the key and number of the current field, or before its bytes.
    private(set) var offset: Int
    private var end: Int
    /// The number of the current field times 8, plus its wire type; 0 at the end of the message.
    private(set) var key: UInt64 = 0
    /// The number in the current field, or the count of its bytes.
    private(set) var value: UInt64 = 0
    private(set) var failure: Failure?

    private init(_ input: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        unsafe self.input = input
        (offset, end) = (range.lowerBound, range.upperBound)
        if range.lowerBound < 0 || range.upperBound > input.count { fail(Protobuf.malformed("a length")) }
    }

    /// Calls `body` with a decoder, of which no copy may be used afterwards.
    @inline(__always)
    static func withFields<Result>(
        of bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ body: (inout FieldDecoder) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var input = unsafe FieldDecoder(buffer, range)
            return body(&input)
        }
    }

    @inline(__always)
    package mutating func callAsFunction<Value: WireValue>(
        _ number: UInt32,
        _ name: StaticString,
        _ value: inout Value,
        most: Int
    ) {
        while key &>> 3 == UInt64(number) {
            value.decode(from: &self, most: most)
            next()
        }
    }

    // MARK: Messages

    @inline(__always)
    mutating func read(_ message: inout some ProtobufMessage) {
        next()
        while key != 0 {
            let start = offset
            message.fields(of: &self)
            // No field of the message has this number.
            if key != 0, offset == start { skip() }
        }
    }

    @inline(__always)
    mutating func readNested(_ message: inout some ProtobufMessage) {
        let outer = end
        guard enter() else { return }
        read(&message)
        if failure == nil { end = outer }
    }

    /// Makes the bytes of the current field the whole input.
    mutating func enter() -> Bool {
        guard let range = range() else { return false }
        (offset, end) = (range.lowerBound, range.upperBound)
        return true
    }

    // MARK: Fields

    /// Reads the key of the next field, and its number or the count of its bytes.
    @inline(never)
    mutating func next() {
        let bytes = unsafe input.span
        guard end &- offset >= 2 else { return nextLong() }
        // Every bit pattern is a number, and the load is checked against the span.
        let loaded = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
        let word = UInt64(UInt16(littleEndian: loaded))
        // A key of one byte, with the wire type of a number or of bytes, and a value of one byte.
        guard word & 0x8085 == 0, word & 0xFF >= 8 else { return nextLong() }
        // A length is checked here, so that a message with two faults is refused for the first of them.
        guard word & 2 == 0 || word &>> 8 <= UInt64(truncatingIfNeeded: end &- offset &- 2) else { return nextLong() }
        key = word & 0xFF
        value = word &>> 8
        offset = offset &+ 2
    }

    @inline(never)
    private mutating func nextLong() {
        let bytes = unsafe input.span
        key = 0
        guard offset < end else { return }
        do throws(Failure) {
            (key, value) = try Protobuf.field(in: bytes, at: &offset, end: end)
        } catch {
            fail(error)
        }
    }

    /// Moves after a field that is not known.
    @inline(never)
    mutating func skip() {
        // A length was compared with the rest of the input when its key was read.
        if key & 7 != 0 { offset = offset &+ Int(truncatingIfNeeded: value) }
        next()
    }

    // MARK: Values

    @inline(__always)
    mutating func number() -> UInt64 {
        if key & 7 != 0 { failAsMalformed() }
        return value
    }

    @inline(__always)
    private mutating func range() -> Range<Int>? {
        guard key & 7 == 2 else {
            failAsMalformed()
            return nil
        }
        let start = offset
        offset = start &+ Int(truncatingIfNeeded: value)
        return start..<offset
    }

    private mutating func range(most: Int) -> Range<Int>? {
        guard let range = range() else { return nil }
        guard range.count <= most else {
            fail(Failure(.limitExceeded, "field \(key >> 3) of a message has \(range.count) bytes; at most \(most)"))
            return nil
        }
        return range
    }

    @inline(never)
    mutating func text(most: Int) -> String {
        let bytes = unsafe input.span
        guard let range = range(most: most) else { return "" }
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            fail(Protobuf.notUTF8(field: UInt32(key >> 3)))
            return ""
        }
    }

    @inline(never)
    mutating func copiedBytes(most: Int) -> [UInt8] {
        let bytes = unsafe input.span
        guard let range = range(most: most) else { return [] }
        let chunk = bytes.extracting(range)
        var copy: [UInt8] = []
        copy.reserveCapacity(chunk.count)
        for index in chunk.indices { copy.append(chunk[index]) }
        return copy
    }

    /// Appends one number or several packed ones: protobuf requires a reader to accept both.
    @inline(never)
    mutating func appendNumbers(to list: inout [some FixedWidthInteger], most: Int) {
        let bytes = unsafe input.span
        guard key & 7 == 2 else {
            if hasRoom(list.count, most) { list.append(.init(truncatingIfNeeded: number())) }
            return
        }
        guard let range = range() else { return }
        var at = range.lowerBound
        do throws(Failure) {
            while at < range.upperBound {
                guard hasRoom(list.count, most) else { return }
                list.append(.init(truncatingIfNeeded: try Protobuf.varint(in: bytes, at: &at, end: range.upperBound)))
            }
        } catch {
            fail(error)
        }
    }

    /// Whether one more entry fits a list of `count`.
    mutating func hasRoom(_ count: Int, _ most: Int) -> Bool {
        if count < most { return true }
        fail(Failure(.limitExceeded, "a message lists more than \(most) entries in field \(key >> 3)"))
        return false
    }

    // MARK: Failures

    @inline(never)
    private mutating func failAsMalformed() {
        fail(Protobuf.malformed(field: UInt32(key >> 3)))
    }

    @inline(never)
    private mutating func fail(_ failure: Failure) {
        if self.failure == nil { self.failure = failure }
        (key, offset, end) = (0, 0, 0)
    }
}
