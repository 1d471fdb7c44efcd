import PasteboardWire

/// The frames of an exchange while its lines are read.
struct ExchangeBuilder {
    private enum Stream: Equatable {
        case number(UInt64)
        case name(String)
    }

    private(set) var frames: [VectorFrame] = []
    private(set) var outcome = Vector.Outcome.open
    /// Whether a step is one that only the state of the project's broker can play.
    private(set) var isInternal = false
    /// Whether a peer is greeted when it is named for the first time.
    var greets = true
    private var named: Set<String> = []
    /// The stream of each peer's last frame, which is that of a further frame without one.
    private var streams: [String: Stream] = [:]
    /// The highest stream that each peer has opened.
    private var highest: [String: UInt64] = [:]

    /// Adds the steps of a line such as `client: write; commit -> committed`.
    mutating func add(_ text: String, line: Int) throws(ExchangeSyntax) {
        var words = try WordReader(text)
        var receiver = ""
        if let peer = words.word(before: ":") {
            receiver = peer
            try greet(peer, before: words.next)
            repeat { try addStep(from: peer, to: "broker", &words, line) } while words.takes(";")
        } else if try addStateStep(&words, line), words.isAtEnd {
            return
        }
        if words.takes(">") {
            repeat {
                if let peer = words.word(before: ":") { receiver = peer }
                try greet(receiver, before: nil)
                if words.next == .word("violation") {
                    _ = words.word()
                    outcome = .violation(words.word() ?? "protocol-violation")
                } else {
                    try addStep(from: "broker", to: receiver, &words, line)
                }
            } while words.takes(";")
        }
        guard words.isAtEnd, !receiver.isEmpty else { throw ExchangeSyntax("the line has other words than a step") }
    }

    private mutating func greet(_ peer: String, before word: ExchangeToken?) throws(ExchangeSyntax) {
        guard named.insert(peer).inserted, greets, word != .word("hello"), let text = ShortForms.greeting(of: peer)
        else { return }
        try add("\(peer): \(text)", line: 0)
    }

    private mutating func addStep(
        from sender: String,
        to receiver: String,
        _ words: inout WordReader,
        _ line: Int
    ) throws(ExchangeSyntax) {
        let count = words.word(before: "*").flatMap { Int($0) } ?? 1
        let first = words
        for _ in 0..<count {
            // Each request opens a stream of its own.
            words = first
            guard let word = words.word() else { throw ExchangeSyntax("a frame is missing") }
            let short = ShortForms.frames[word]
            var frame = VectorFrame(sender: sender, receiver: receiver, kind: short?.kind ?? word, line: line)
            if frame.isNothing {
                // It uses the next stream of each connection.
                for (peer, stream) in highest { highest[peer] = (stream + 1) | 1 }
            } else if !frame.isClose {
                try fill(&frame, &words, short?.fields)
            }
            frame.text = words.text(from: first.position)
            frames.append(frame)
        }
    }

    /// Adds a step such as `after 30 s` or `holds loads: 0`, if the line begins with one.
    private mutating func addStateStep(_ words: inout WordReader, _ line: Int) throws(ExchangeSyntax) -> Bool {
        guard case .word(let word) = words.next, ["after", "holds"].contains(word) else { return false }
        _ = words.word()
        var steps: [StateStep] = []
        if word == "after" {
            let units: [String: UInt64] = ["ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000]
            let number = try words.number()
            guard let unit = words.word().flatMap({ units[$0] }) else { throw ExchangeSyntax("unknown unit of time") }
            steps = [.after(milliseconds: number * unit)]
        } else {
            repeat {
                guard let name = words.word(before: ":") else { throw ExchangeSyntax("a name is missing") }
                steps.append(.holds(name, try words.number()))
            } while words.takes(",")
        }
        isInternal = true
        for step in steps {
            var frame = VectorFrame(sender: "broker", receiver: "", kind: word, line: line)
            frame.step = step
            frames.append(frame)
        }
        return true
    }

    // MARK: Frames

    private static let attributes: Set = ["last", "must-understand", "flags", "version", "length", "descriptors"]

    /// Adds the header and the payload.
    ///
    /// - Parameter fields: the fields if none are written.
    private mutating func fill(
        _ frame: inout VectorFrame,
        _ words: inout WordReader,
        _ fields: String?
    ) throws(ExchangeSyntax) {
        var header = FrameHeader(.data, stream: 0, length: 0)
        if frame.kind == "kind" {
            header.rawKind = UInt8(truncatingIfNeeded: try words.number())
            frame = VectorFrame(sender: frame.sender, receiver: frame.receiver, kind: "unknown", line: frame.line)
        } else if let kind = FrameKind.allCases.first(where: { "\($0)" == frame.kind }) {
            header.rawKind = kind.rawValue
        } else {
            throw ExchangeSyntax("there is no frame '\(frame.kind)'")
        }
        let stream = try stream(of: frame, header.kind, &words)
        var message = try message(of: header.kind, &words)
        if message == nil, let fields {
            var words = try WordReader(fields)
            message = try self.message(of: header.kind, &words)
        }
        let payload = message?.bytes ?? []
        header.length = UInt32(payload.count)
        try addAttributes(to: &header, of: &frame, &words)
        if case .number(let number) = stream { header.stream = number } else { header.stream = 1 << 32 }
        var encoder = FrameMemory()
        encoder.append(header: header)
        frame.bytes = encoder.bytes + payload
        if case .name(let name) = stream { frame.values = [VectorFrame.NamedValue(name: name, range: 8..<16)] }
        frame.values += (message?.values ?? []).map { value in
            let start = FrameHeader.byteCount + value.range.lowerBound
            return VectorFrame.NamedValue(name: value.name, range: start..<start + value.range.count)
        }
        frame.absentFields = (message?.absentFields ?? []).map { $0.moved(by: FrameHeader.byteCount) }
    }

    /// The payload that is written, if there is one.
    private func message(of kind: FrameKind?, _ words: inout WordReader) throws(ExchangeSyntax) -> WrittenMessage? {
        let isWritten =
            switch words.next {
            case nil, .sign(";"), .sign(">"): false
            case .word(let word): words.isName || !Self.attributes.contains(word) && !word.hasPrefix("+")
            default: true
            }
        var fields: [WrittenField]
        if kind == .data {
            guard let bytes = words.bytes() else { throw ExchangeSyntax("the bytes of the frame are missing") }
            fields = [.raw(bytes)]
        } else {
            guard isWritten else { return nil }
            fields = try words.fields()
        }
        if fields.count == 1, case .value(nil, .message(let none)) = fields[0], none.isEmpty { fields = [] }
        return try WrittenMessage(fields, of: kind.flatMap(ProtocolSchema.shipped.message) ?? "")
    }

    private func addAttributes(
        to header: inout FrameHeader,
        of frame: inout VectorFrame,
        _ words: inout WordReader
    ) throws(ExchangeSyntax) {
        while let word = words.word() {
            switch word {
            case "last": header.flags.insert(.last)
            case "must-understand": header.flags.insert(.mustUnderstand)
            case "flags": header.flags.insert(FrameFlags(rawValue: UInt8(truncatingIfNeeded: try words.number())))
            case "version": header.version = UInt8(truncatingIfNeeded: try words.number())
            case "length": header.length = UInt32(truncatingIfNeeded: try words.number())
            case "descriptors": header.descriptorCount = UInt8(truncatingIfNeeded: try words.number())
            default:
                frame.passed = PassedDescriptor(rawValue: String(word.dropFirst()))
                guard word.hasPrefix("+"), frame.passed != nil else { throw ExchangeSyntax("unknown word '\(word)'") }
                header.descriptorCount = 1
            }
        }
    }

    // MARK: Streams

    /// The stream that is written, or the one of a frame without a stream.
    private mutating func stream(
        of frame: VectorFrame,
        _ kind: FrameKind?,
        _ words: inout WordReader
    ) throws(ExchangeSyntax) -> Stream {
        let isSent = frame.sender != "broker"
        var stream: Stream?
        if case .word(let word) = words.next, word.hasPrefix("#") {
            _ = words.word()
            let name = String(word.dropFirst())
            stream = UInt64(name).map { .number($0) } ?? .name(name)
        } else if [.hello, .welcome, .inline].contains(kind) {
            if isSent { highest[frame.peer] = highest[frame.peer] ?? 0 }
            return .number(0)
        } else if isSent, kind?.opensStream == true {
            stream = .number(((highest[frame.peer] ?? 0) + 1) | 1)
        } else if !isSent, let name = kind.flatMap({ ShortForms.streams["\($0)"] }) {
            stream = .name(name)
        }
        guard let stream = stream ?? streams[frame.peer] else {
            throw ExchangeSyntax("'\(frame.peer)' has no stream for '\(frame.kind)'")
        }
        if isSent, case .number(let number) = stream, number % 2 == 1 {
            highest[frame.peer] = max(highest[frame.peer] ?? 0, number)
        }
        if ![.hello, .welcome, .inline].contains(kind) { streams[frame.peer] = stream }
        return stream
    }
}
