package import PasteboardWire

/// A descriptor that is passed with a frame of an exchange.
package enum PassedDescriptor: String, Sendable {
    /// A regular file that is open for reading only.
    case file
    /// A memory file with all four seals.
    case sealed
    /// A memory file without seals.
    case memory
    case pipe
}

/// A step that only the state of the project's broker can play.
enum StateStep: Sendable {
    /// Time passes.
    case after(milliseconds: UInt64)
    /// The broker holds so many of these records or bytes.
    case holds(String, UInt64)
}

/// A frame of a vector: its bytes, in which some values may have names.
package struct VectorFrame: Sendable {
    /// A value that one side chooses: the stream in a header, or the value of a field. It has a sample, so that the
    /// bytes are a valid frame without any names.
    struct NamedValue: Sendable {
        let name: String
        /// The range of the sample in the frame's bytes.
        let range: Range<Int>
    }

    /// A field that the message must not contain whose bytes begin at `start`.
    struct AbsentField {
        let start: Int
        let number: UInt32

        func moved(by count: Int) -> Self { Self(start: start + count, number: number) }
    }

    package let sender: String
    package let receiver: String
    /// The name of the kind, "close" for the end of the connection, or "nothing" if no frame must have come.
    package let kind: String
    /// The line in its file.
    package let line: Int
    /// The frame as the exchange writes it; empty for a frame that is only bytes.
    package internal(set) var text = ""
    /// The step that takes the place of a frame.
    var step: StateStep?
    /// The descriptor that is passed with the frame.
    var passed: PassedDescriptor?
    /// The header and the payload, with the samples.
    package internal(set) var bytes: [UInt8] = []
    var values: [NamedValue] = []
    /// The fields that the messages must not contain.
    var absentFields: [AbsentField] = []

    package var header: FrameHeader? { FrameHeader(bytes.span, at: 0) }

    /// The peer at the other end of the broker's connection.
    package var peer: String { sender == "broker" ? receiver : sender }

    var isClose: Bool { kind == "close" }
    var isNothing: Bool { kind == "nothing" }

    /// The frame with the values that the other side chose before, and with the lengths that it and its messages then
    /// have.
    func bytes(with bound: [String: [UInt8]]) -> [UInt8] {
        var (bytes, result) = (self.bytes, [UInt8]())
        for value in values {
            let growth = bound[value.name].map { $0.count - value.range.count } ?? 0
            for length in lengths(around: value.range.lowerBound, in: FrameHeader.byteCount..<bytes.count) {
                bytes[length] &+= UInt8(truncatingIfNeeded: growth)
            }
        }
        var end = 0
        for value in values {
            result += bytes[end..<value.range.lowerBound]
            result += bound[value.name] ?? Array(bytes[value.range])
            end = value.range.upperBound
        }
        result += bytes[end...]
        guard result.count != bytes.count, var header = FrameHeader(result.span, at: 0) else { return result }
        // A header may announce another length than that of the payload, so only the difference is added.
        header.length = header.length &+ UInt32(truncatingIfNeeded: result.count &- bytes.count)
        var encoder = FrameMemory()
        encoder.append(header: header)
        return encoder.bytes + result.dropFirst(FrameHeader.byteCount)
    }

    /// The offsets of the lengths of the messages, of less than 128 bytes, that contain an offset.
    private func lengths(around offset: Int, in range: Range<Int>) -> [Int] {
        let fields = MessageField.fields(of: bytes, in: range) ?? []
        guard let field = fields.first(where: { $0.contents.contains(offset) }) else { return [] }
        return [field.value.lowerBound] + lengths(around: offset, in: field.contents)
    }

    /// The name of the stream in the header.
    var streamName: String? {
        values.first { $0.range.lowerBound == 8 }?.name
    }
}
