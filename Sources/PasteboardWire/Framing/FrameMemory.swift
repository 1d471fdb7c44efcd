/// Frames one after the other, in memory that is reused and stays initialized.
///
/// Asks, answers and loads of one type are written without a step for each field that would reserve memory for it.
package struct FrameMemory: Sendable {
    private var output = FieldEncoder()

    /// Larger memory, which a long listing needs, is released.
    private static let keptByteCount = 256 << 10

    package init() {}

    /// The frames, and unused bytes after `count`.
    package var memory: [UInt8] { output.bytes }
    package var count: Int { output.count }
    /// A copy of the frames.
    package var bytes: [UInt8] { Array(memory[..<count]) }

    package mutating func removeAll() {
        if memory.count > Self.keptByteCount { output = FieldEncoder() }
        removeAll(from: 0)
    }

    /// Removes the last frames, from the offset `start` on.
    package mutating func removeAll(from start: Int) {
        output.removeAll(from: start)
    }

    /// Appends one control frame and returns its range.
    @discardableResult
    package mutating func append<Message: WireMessage>(
        _ message: Message,
        stream: UInt64,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) -> Range<Int> {
        let start = count
        var header = FrameHeader(
            Message.kind,
            stream: stream,
            length: 0,
            flags: flags,
            descriptorCount: descriptorCount
        )
        append(header: header)
        output.put(message)
        header.length = UInt32(truncatingIfNeeded: count - start - FrameHeader.byteCount)
        output.replace(at: start, by: header.words.0)
        return start..<count
    }

    /// Appends one data frame and returns its range.
    @discardableResult
    package mutating func appendData(_ payload: [UInt8], stream: UInt64, flags: FrameFlags = .none) -> Range<Int> {
        let start = count
        append(header: FrameHeader(.data, stream: stream, length: payload.count, flags: flags))
        output.append(payload)
        return start..<count
    }

    /// Appends a frame without a payload.
    package mutating func append(header: FrameHeader) {
        output.write { writer, memory in
            writer.put(8, bytesOf: header.words.0, in: &memory)
            writer.put(8, bytesOf: header.words.1, in: &memory)
        }
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
            var load = copy load
            load.credit = credit
            return append(load, stream: stream)
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
        output.write(room: 8 * load.words.count) { writer, memory in
            for index in load.words.indices {
                memory.storeBytes(of: load.words[index], toByteOffset: start &+ 8 &* index, as: UInt64.self)
            }
            memory.storeBytes(of: stream.littleEndian, toByteOffset: start &+ 8, as: UInt64.self)
            writer.skip(load.byteCount)
        }
        return start..<count
    }

    /// The frames in words of eight bytes, little endian.
    var words: [UInt64] {
        stride(from: 0, to: count, by: 8).map { start in
            let word = memory[start..<Swift.min(start + 8, count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
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
        output.write(room: FrameHeader.byteCount + room) { writer, memory in
            writer.skip(FrameHeader.byteCount)
            write(&writer, &memory)
            let header = FrameHeader(kind, stream: stream, length: writer.end - start - FrameHeader.byteCount)
            let (first, second) = header.words
            memory.storeBytes(of: first.littleEndian, toByteOffset: start, as: UInt64.self)
            memory.storeBytes(of: second.littleEndian, toByteOffset: start + 8, as: UInt64.self)
        }
        return start..<count
    }
}
