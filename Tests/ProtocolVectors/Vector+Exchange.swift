import PasteboardWire

extension Vector {
    /// The exchange in which a connected client sends the frame of this vector. Nil if its outcome depends on more.
    package var exchange: Vector? {
        guard let frame = frames.first, frame.sender != "broker", let header = frame.header else { return nil }
        var exchange = Vector(rules: rules, title: title, file: file, line: line)
        exchange.frames = header.kind == .hello ? [frame] : Self.greeting + [frame]
        switch outcome {
        case .violation, .ignored:
            exchange.outcome = outcome == .ignored ? .open : outcome
        case .malformed(let code) where header.kind == .hello:
            exchange.outcome = .violation(code)
        case .malformed(let code):
            guard header.kind?.opensStream == true, let error = Self.error(code, stream: header.stream) else {
                return nil
            }
            exchange.frames.append(error)
        default: return nil
        }
        return exchange
    }

    private static var greeting: [VectorFrame] {
        var encoder = FrameMemory()
        encoder.append(Hello(), stream: 0)
        var hello = VectorFrame(sender: "client", receiver: "broker", kind: "hello", line: 0)
        hello.bytes = encoder.bytes
        encoder.removeAll()
        encoder.append(Welcome(), stream: 0)
        var welcome = VectorFrame(sender: "broker", receiver: "client", kind: "welcome", line: 0)
        welcome.bytes = encoder.bytes
        return [hello, welcome]
    }

    private static func error(_ code: String, stream: UInt64) -> VectorFrame? {
        guard let index = ErrorCode.names.firstIndex(of: code) else { return nil }
        var frame = VectorFrame(sender: "broker", receiver: "client", kind: "error", line: 0)
        var encoder = FrameMemory()
        // The text is the broker's, so the shown message has only the code.
        let payload: [UInt8] = [8, UInt8(index + 1)]
        encoder.append(header: FrameHeader(.error, stream: stream, length: payload.count))
        frame.bytes = encoder.bytes + payload
        return frame
    }
}

extension FrameKind {
    /// Whether a client opens a stream with the kind.
    package var opensStream: Bool {
        [.write, .load, .list, .clear, .status, .stop, .drag, .destination, .wait, .watch, .createBoard]
            .contains(self)
    }
}
