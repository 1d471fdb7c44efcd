import PasteboardWire

extension Vector {
    /// The exchange in which a connected client sends the frame of this vector. Nil if its outcome depends on more.
    package var exchange: Vector? {
        guard let frame = frames.first, frame.sender != "broker", let header = frame.header else { return nil }
        var exchange = self
        var answer = ""
        switch outcome {
        case .violation: break
        case .ignored: exchange.outcome = .open
        case .malformed(let code) where header.kind == .hello: exchange.outcome = .violation(code)
        case .malformed(let code) where header.kind?.opensStream == true:
            exchange.outcome = .open
            // The text is the broker's, so the shown message has only the code.
            answer = "-> client: error #\(header.stream) \(code)"
        default: return nil
        }
        var builder = ExchangeBuilder()
        try? builder.add("client: hello {} -> welcome {}", line: 0)
        exchange.frames = (header.kind == .hello ? [] : builder.frames) + frames
        if !answer.isEmpty {
            try? builder.add(answer, line: 0)
            exchange.frames += builder.frames.suffix(1)
        }
        return exchange
    }
}

extension FrameKind {
    /// Whether a client opens a stream with the kind.
    package var opensStream: Bool {
        [.write, .load, .list, .clear, .status, .stop, .drag, .destination, .watch, .createBoard]
            .contains(self)
    }
}
