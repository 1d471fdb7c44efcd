/// Frames one after the other, in memory that is reused and stays initialized.
///
/// Asks, answers and loads of one type are written directly into it, without a step for each byte or field that would
/// extend an array. All other messages are encoded first, and then copied.
package struct FrameMemory: Sendable {
    /// The frames, and unused bytes after `count`.
    package private(set) var bytes: [UInt8] = []
    package private(set) var count = 0
    private var encoder = FrameEncoder()

    /// Larger memory, which a long listing needs, is released.
    private static let keptByteCount = 256 << 10

    package init() {}

    package mutating func removeAll() {
        count = 0
        if bytes.count > Self.keptByteCount { bytes = [] }
    }

    /// Removes the last frames, from the offset `start` on.
    package mutating func removeAll(from start: Int) {
        count = Swift.min(count, start)
    }

    /// Appends one control frame and returns its range.
    @discardableResult
    package mutating func append<Message: WireMessage>(
        _ message: Message,
        stream: UInt64,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) -> Range<Int> {
        let header = FrameHeader(
            Message.kind,
            stream: stream,
            length: 0,
            flags: flags,
            descriptorCount: descriptorCount
        )
        return append(header) { output in message.encode(into: &output) }
    }

    private mutating func append(_ header: FrameHeader, _ write: (inout OutputSpan<UInt8>) -> Void) -> Range<Int> {
        encoder.removeAll()
        let frame = encoder.append(header, write)
        let start = count
        reserve(frame.count)
        bytes.replaceSubrange(start..<start + frame.count, with: encoder.bytes)
        count += frame.count
        return start..<count
    }

    /// Appends a frame without a payload.
    package mutating func append(header: FrameHeader) {
        _ = append(header) { _ in }
    }

    @inline(__always)
    private mutating func reserve(_ room: Int) {
        if bytes.count - count < room { grow(room) }
    }

    @inline(never)
    private mutating func grow(_ room: Int) {
        var larger = [UInt8](repeating: 0, count: 2 * bytes.count + max(1024, room))
        larger.replaceSubrange(0..<bytes.count, with: bytes)
        bytes = larger
    }

    // MARK: Loads, asks and answers

    /// A type of at most this length and its match take less than 128 bytes, so their length takes one byte.
    private static let longestPlainType = 100

    /// Appends the frame of a load whose credit is replaced by `credit`.
    ///
    /// A load is written directly if it names one type. Required features are rare.
    package mutating func append(_ load: borrowing Load, credit: UInt64, stream: UInt64) -> Range<Int> {
        guard load.accepts.count == 1, load.requires.isEmpty,
            load.accepts[0].type.utf8.count <= Self.longestPlainType
        else {
            return append(FrameHeader(.load, stream: stream, length: 0)) { output in
                load.encode(into: &output, credit: credit)
            }
        }
        let type = load.accepts[0].type.utf8.span
        let match = load.accepts[0].match
        let room = 13 * FieldWriter.numberRoom + type.count + (load.board?.utf8.count ?? 0)
        return append(.load, stream: stream, room: room) { writer, memory in
            writer.put(1, load.handle, in: &memory)
            if let board = load.board { writer.put(2, name: board.utf8.span, in: &memory) }
            writer.put(3, load.ifChangeCount, in: &memory)
            writer.put(4, load.item, in: &memory)
            writer.put(5, in: &memory) { writer, memory in
                writer.put(1, name: type, in: &memory)
                writer.put(2, match?.rawValue, in: &memory)
            }
            writer.put(6, load.preference?.rawValue, in: &memory)
            writer.put(7, load.maximumByteCount, in: &memory)
            writer.put(8, credit, in: &memory)
            writer.put(9, load.descriptorWelcome, in: &memory)
            writer.put(11, load.timeoutMilliseconds, in: &memory)
            writer.put(12, load.inPlaceWelcome, in: &memory)
            writer.put(13, load.isAutomatic, in: &memory)
        }
    }

    /// Appends the frame of a load that was encoded before.
    package mutating func append(_ load: borrowing EncodedLoad, stream: UInt64) -> Range<Int> {
        let start = count
        reserve(8 * load.words.count)
        var span = bytes.mutableSpan
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe span.mutableBytes
        var offset = start
        for index in load.words.indices {
            memory.storeBytes(of: load.words[index], toByteOffset: offset, as: UInt64.self)
            offset = offset &+ 8
        }
        memory.storeBytes(of: stream.littleEndian, toByteOffset: start &+ 8, as: UInt64.self)
        count = start &+ load.byteCount
        return start..<count
    }

    /// The frames in words of eight bytes, little endian.
    var words: [UInt64] {
        stride(from: 0, to: count, by: 8).map { start in
            let word = bytes[start..<Swift.min(start + 8, count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
            return word.littleEndian
        }
    }

    /// Appends an ask, as the bytes of an ``Ask`` with the same fields.
    package mutating func append(_ ask: AskNumbers, type: Span<UInt8>, stream: UInt64) -> Range<Int> {
        append(.ask, stream: stream, room: 9 * FieldWriter.numberRoom + type.count) { writer, memory in
            writer.put(ask.handle, in: &memory)
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
        type: Span<UInt8>,
        suggestedName: String?,
        stream: UInt64
    ) -> Range<Int> {
        let room = 7 * FieldWriter.numberRoom + type.count + (suggestedName?.utf8.count ?? 0)
        return append(.answer, stream: stream, room: room) { writer, memory in
            writer.put(answer.handle, in: &memory)
            writer.put(2, UInt64(answer.item), in: &memory)
            writer.put(3, name: type, in: &memory)
            writer.put(4, answer.byteCount, in: &memory)
            writer.put(5, UInt64(answer.itemCount), in: &memory)
            if let suggestedName { writer.put(6, name: suggestedName.utf8.span, in: &memory) }
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
        reserve(FrameHeader.byteCount + room)
        var span = bytes.mutableSpan
        // Any byte is a valid element, and the stores are checked against the span.
        var memory = unsafe span.mutableBytes
        var writer = FieldWriter(at: start + FrameHeader.byteCount)
        write(&writer, &memory)
        let header = FrameHeader(kind, stream: stream, length: writer.end - start - FrameHeader.byteCount)
        let (first, second) = header.words
        memory.storeBytes(of: first.littleEndian, toByteOffset: start, as: UInt64.self)
        memory.storeBytes(of: second.littleEndian, toByteOffset: start + 8, as: UInt64.self)
        count = writer.end
        return start..<count
    }
}
