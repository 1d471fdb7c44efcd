import PasteboardWire

/// The progress of a vector whose broker is played, and whose client is tested.
package struct ClientScript {
    private var frames: ArraySlice<VectorFrame>
    private var match = FrameMatch()
    /// The difference between the last frame of an expected kind and the shown one.
    private var difference: String?

    package init(_ vector: Vector) {
        frames = vector.frames[...]
    }

    /// The frame of the client that is still expected, with the reason if a similar one came.
    package var missing: String? {
        guard let frame = frames.first, frame.sender != "broker" else { return nil }
        return frame.kind + (difference.map { " (\($0))" } ?? "")
    }

    /// Whether the next step is this frame of the client. Frames that no step shows may come between.
    ///
    /// - Parameter bytes: all bytes that came on the stream of the frame since the last step.
    package mutating func accepts(_ frame: ReceivedFrame, bytes: [UInt8]) -> Bool {
        guard let expected = frames.first, expected.sender != "broker", let header = expected.header else {
            return false
        }
        let isData = header.kind == .data
        guard frame.header.kind == header.kind || isData && frame.header.kind == .end,
            match.stream(of: expected).map({ $0 == frame.header.stream }) ?? true
        else { return false }
        if isData {
            let isLast = frame.header.kind == .end || frame.header.flags.contains(.last)
            let shown = expected.bytes.dropFirst(FrameHeader.byteCount)
            guard bytes.count >= shown.count, isLast || !header.flags.contains(.last) else { return false }
            guard shown.elementsEqual(bytes), isLast == header.flags.contains(.last) else {
                difference = "it sent \(bytes.count) bytes, and the expected ones are \(shown.count)"
                return false
            }
        } else if let text = match.difference(frame.payload, from: expected) {
            difference = "\(text) in \(frame.text)"
            return false
        }
        if let name = expected.streamName { match.bind(name, toStream: frame.header.stream) }
        difference = nil
        frames.removeFirst()
        return true
    }

    /// The next bytes of the broker; none for the end of the connection. Nil if the client comes next.
    package mutating func nextAnswer() -> [UInt8]? {
        guard let frame = frames.first, frame.sender == "broker" else { return nil }
        frames.removeFirst()
        return frame.isClose ? [] : frame.bytes(with: match.bound)
    }
}
