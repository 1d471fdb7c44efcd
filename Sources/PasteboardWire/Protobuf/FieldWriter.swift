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

    private mutating func putLong(_ key: UInt64, _ value: UInt64, in memory: inout MutableRawSpan) {
        put(1, bytesOf: key, in: &memory)
        let low = value & 0x00FF_FFFF_FFFF_FFFF
        var word = low & 0x0FFF_FFFF | (low & 0x00FF_FFFF_F000_0000) << 4
        word = word & 0x0000_3FFF_0000_3FFF | (word & 0x0FFF_C000_0FFF_C000) << 2
        word = word & 0x007F_007F_007F_007F | (word & 0x3F80_3F80_3F80_3F80) << 1
        // All bytes of the number but its last have the upper bit set.
        guard value > low else {
            let count = (70 - value.leadingZeroBitCount) / 7
            return put(count, bytesOf: word | 0x8080_8080_8080_8080 & (1 &<< UInt64(8 * (count - 1)) &- 1), in: &memory)
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
        for offset in stride(from: 0, to: count - 8, by: 8) {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            memory.storeBytes(of: word, toByteOffset: end + offset, as: UInt64.self)
        }
        let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        memory.storeBytes(of: word, toByteOffset: end + count - 8, as: UInt64.self)
        end += count
    }
}

extension FrameEncoder {
    /// Appends an ask, as the bytes of an ``Ask`` with the same fields.
    package mutating func append(_ ask: AskNumbers, type: String, stream: UInt64) -> Range<Int> {
        let type = type.utf8.span
        return append(.ask, stream: stream, room: 9 * FieldWriter.numberRoom + type.count) { writer, memory in
            writer.put(1, ask.handle, in: &memory)
            writer.put(2, UInt64(ask.item), in: &memory)
            writer.put(3, UInt64(ask.representation), in: &memory)
            writer.put(4, name: type, in: &memory)
            writer.put(5, ask.credit, in: &memory)
            writer.put(6, ask.maximumByteCount, in: &memory)
            if ask.descriptorWelcome { writer.put(7, 1, in: &memory) }
            writer.put(8, ask.firstByteMilliseconds, in: &memory)
            if ask.inPlaceWelcome { writer.put(9, 1, in: &memory) }
        }
    }

    /// Appends an answer, as the bytes of an ``Answer`` with the same fields.
    package mutating func append(
        _ answer: AnswerNumbers,
        type: String,
        suggestedName: String?,
        stream: UInt64
    ) -> Range<Int> {
        let type = type.utf8.span
        let name = suggestedName ?? ""
        let nameBytes = name.utf8.span
        let room = 7 * FieldWriter.numberRoom + type.count + nameBytes.count
        return append(.answer, stream: stream, room: room) { writer, memory in
            writer.put(1, answer.handle, in: &memory)
            writer.put(2, UInt64(answer.item), in: &memory)
            writer.put(3, name: type, in: &memory)
            writer.put(4, answer.byteCount, in: &memory)
            writer.put(5, UInt64(answer.itemCount), in: &memory)
            if suggestedName != nil { writer.put(6, name: nameBytes, in: &memory) }
            if let content = answer.content { writer.put(8, UInt64(content.rawValue), in: &memory) }
        }
    }

    @inline(__always)
    private mutating func append(
        _ kind: FrameKind,
        stream: UInt64,
        room: Int,
        _ write: (inout FieldWriter, inout MutableRawSpan) -> Void
    ) -> Range<Int> {
        let start = count
        appendMemory(FrameHeader.byteCount + room) { memory in
            var writer = FieldWriter(at: FrameHeader.byteCount)
            write(&writer, &memory)
            let header = FrameHeader(kind, stream: stream, length: writer.end - FrameHeader.byteCount)
            let (first, second) = header.words
            memory.storeBytes(of: first.littleEndian, as: UInt64.self)
            memory.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
            return writer.end
        }
        return start..<count
    }
}

/// The fields of an ``Ask`` that are numbers.
package struct AskNumbers: BitwiseCopyable, Sendable {
    package var handle: UInt64
    package var item: UInt32
    package var representation: UInt32
    package var credit: UInt64
    package var maximumByteCount: UInt64?
    package var descriptorWelcome: Bool
    package var firstByteMilliseconds: UInt64
    package var inPlaceWelcome: Bool

    @inlinable
    package init(
        handle: UInt64,
        item: UInt32,
        representation: UInt32,
        credit: UInt64,
        maximumByteCount: UInt64?,
        descriptorWelcome: Bool,
        firstByteMilliseconds: UInt64,
        inPlaceWelcome: Bool
    ) {
        self.handle = handle
        self.item = item
        self.representation = representation
        self.credit = credit
        self.maximumByteCount = maximumByteCount
        self.descriptorWelcome = descriptorWelcome
        self.firstByteMilliseconds = firstByteMilliseconds
        self.inPlaceWelcome = inPlaceWelcome
    }
}

/// The fields of an ``Answer`` that are numbers.
package struct AnswerNumbers: Sendable {
    package var handle: UInt64
    package var item: UInt32
    package var byteCount: UInt64?
    package var itemCount: UInt32
    package var content: ContentForm?

    @inlinable
    package init(handle: UInt64, item: UInt32, byteCount: UInt64?, itemCount: UInt32, content: ContentForm?) {
        self.handle = handle
        self.item = item
        self.byteCount = byteCount
        self.itemCount = itemCount
        self.content = content
    }
}
