/// Encodes frames one behind the other into one reused array.
package struct FrameEncoder: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
    }

    /// Takes the last frames back, from where the first of them lies.
    package mutating func removeAll(from start: Int) {
        self.bytes.removeSubrange(start...)
    }

    /// Appends one control frame and returns where it lies.
    @discardableResult
    package mutating func append(
        _ message: some WireMessage,
        stream: UInt64,
        flags: FrameFlags = .none,
        descriptorCount: UInt8 = 0
    ) -> Range<Int> {
        let start = self.bytes.count
        self.append(
            header: FrameHeader(
                type(of: message).kind,
                stream: stream,
                length: 0,
                flags: flags,
                descriptorCount: descriptorCount
            )
        )
        message.encode(into: &self.bytes)
        self.patchLength(of: start)
        return start..<self.bytes.count
    }

    /// Appends one data frame.
    @discardableResult
    package mutating func appendData(_ payload: [UInt8], stream: UInt64, flags: FrameFlags = .none) -> Range<Int> {
        let start = self.bytes.count
        self.append(header: FrameHeader(.data, stream: stream, length: payload.count, flags: flags))
        self.bytes.append(contentsOf: payload)
        return start..<self.bytes.count
    }

    package mutating func append(header: FrameHeader) {
        let (first, second) = header.words
        self.bytes.append(addingCapacity: FrameHeader.byteCount) { output in
            for index in 0..<8 { output.append(UInt8(truncatingIfNeeded: first >> (8 * index))) }
            for index in 0..<8 { output.append(UInt8(truncatingIfNeeded: second >> (8 * index))) }
        }
    }

    private mutating func patchLength(of start: Int) {
        let length = self.bytes.count - start - FrameHeader.byteCount
        for index in 0..<4 {
            self.bytes[start + index] = UInt8(truncatingIfNeeded: length >> (8 * index))
        }
    }
}
