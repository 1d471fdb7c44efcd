/// Encodes frames one after the other into one array, which is reused.
@usableFromInline package struct FrameEncoder: Sendable {
    @usableFromInline package internal(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends one control frame and returns its range.
    @inlinable
    @discardableResult
    package mutating func append<Message: WireMessage>(
        _ message: Message,
        stream: UInt64,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) -> Range<Int> {
        append(
            FrameHeader(Message.kind, stream: stream, length: 0, flags: flags, descriptorCount: descriptorCount)
        ) { output in
            message.encode(into: &output)
        }
    }

    /// Appends a frame whose payload `write` puts into the memory after the header.
    @inlinable
    @inline(__always)
    package mutating func append(_ header: FrameHeader, _ write: (inout OutputSpan<UInt8>) -> Void) -> Range<Int> {
        let start = bytes.count
        bytes.append(filling: 256) { output in
            output.append(repeating: 0, count: FrameHeader.byteCount)
            write(&output)
            var header = header
            header.length = UInt32(truncatingIfNeeded: output.count - FrameHeader.byteCount)
            header.store(in: &output)
        }
        return start..<bytes.count
    }

    /// Appends one data frame.
    @discardableResult
    package mutating func appendData(_ payload: [UInt8], stream: UInt64, flags: FrameFlags = .none) -> Range<Int> {
        let start = bytes.count
        append(header: FrameHeader(.data, stream: stream, length: payload.count, flags: flags))
        bytes.append(contentsOf: payload)
        return start..<bytes.count
    }

    package mutating func append(header: FrameHeader) {
        bytes.append(addingCapacity: FrameHeader.byteCount) { output in
            output.append(repeating: 0, count: FrameHeader.byteCount)
            header.store(in: &output)
        }
    }
}

extension FrameHeader {
    /// Writes the header to the first bytes of the output.
    @inlinable
    @inline(__always)
    func store(in output: inout OutputSpan<UInt8>) {
        let (first, second) = words
        var span = output.mutableSpan
        // Any byte is a valid element, and the stores are checked against the span.
        var bytes = unsafe span.mutableBytes
        bytes.storeBytes(of: first.littleEndian, as: UInt64.self)
        bytes.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
}
