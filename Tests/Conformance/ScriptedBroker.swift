import PasteboardTransport
import PasteboardWire
import ProtocolVectors

/// One connection of a tested client: plays the broker's frames of a vector, and answers other requests plainly.
struct ScriptedBroker {
    private static let handle: UInt64 = 330_712_481_792

    /// Nil after the broker's side has closed the connection.
    private(set) var socket: FrameSocket?
    private(set) var audit = ClientAudit()
    /// The bytes of the client that no step has compared yet, by stream.
    private var bytes: [UInt64: [UInt8]] = [:]
    private(set) var broken: [(rule: String, text: String)] = []
    /// The frames so far, one a line.
    private(set) var transcript: [String] = []

    /// Whether the broker is ending.
    private let isEnding: Bool

    /// - Parameter isEnding: whether the broker announces its end at once, because the exchange is over: a client that
    ///   connects again after a lost connection then ends.
    init(_ socket: FrameSocket, isEnding: Bool) {
        self.socket = socket
        self.isEnding = isEnding
    }

    /// Handles the frames that have arrived.
    mutating func receive(_ script: inout ClientScript, deadline: UInt64) {
        socket?.read()
        while let frame = socket?.takeFrame() {
            transcript.append("client -> \(frame.text)")
            broken += audit.judge(frame)
            if frame.header.kind == .data { bytes[frame.header.stream, default: []] += frame.payload }
            let collected = bytes[frame.header.stream] ?? []
            if script.accepts(frame, bytes: collected) {
                bytes[frame.header.stream] = nil
            } else {
                answer(frame, deadline)
            }
            while socket != nil, let next = script.nextAnswer() {
                if let stream = FrameHeader(next.span, at: 0)?.stream { audit.used(stream) }
                send(next, deadline)
                if next.isEmpty { socket = nil }
            }
        }
        // Where the next frame begins is not known.
        if let header = socket?.oversizedHeader {
            broken.append(("F3", "a frame announces \(header.length) bytes"))
            socket = nil
        }
    }

    /// Answers a request that is no part of the script.
    private mutating func answer(_ frame: ReceivedFrame, _ deadline: UInt64) {
        var encoder = FrameMemory()
        let stream = frame.header.stream
        switch frame.header.kind {
        case .hello:
            var welcome = Welcome()
            welcome.version = UInt32(FrameHeader.version)
            welcome.epoch = 77
            welcome.maximumStreams = 128
            welcome.keptPool = 1 << 30
            welcome.keptFree = 1 << 30
            welcome.programVersion = ProgramVersion.current
            encoder.append(welcome, stream: stream)
            if isEnding { encoder.append(Failure(.limitExceeded, "the exchange is over"), stream: 0) }
        case .list:
            var contents = Contents()
            (contents.changeCount, contents.epoch, contents.handle) = (5_001, 77, Self.handle)
            contents.itemCount = 1
            encoder.append(contents, stream: stream)
            var representation = Representation()
            representation.type = "public.utf8-plain-text"
            var item = Item()
            item.representations = [representation]
            encoder.append(item, stream: stream)
            encoder.append(End(), stream: stream)
        case .status:
            encoder.append(End(), stream: stream)
        case .clear, .commit:
            var committed = Committed()
            (committed.changeCount, committed.epoch) = (5_001, 77)
            if frame.header.kind == .commit { committed.handle = Self.handle }
            encoder.append(committed, stream: stream)
            if frame.header.kind == .clear { encoder.append(End(), stream: stream) }
        default: return
        }
        send(encoder.bytes, deadline)
        if isEnding { socket = nil }
    }

    private mutating func send(_ bytes: [UInt8], _ deadline: UInt64) {
        var start = 0
        while let header = FrameHeader(bytes.span, at: start),
            start + FrameHeader.byteCount + Int(header.length) <= bytes.count
        {
            let payload = bytes[(start + FrameHeader.byteCount)...].prefix(Int(header.length))
            transcript.append("client <- \(FrameDescription(header, payload: Array(payload).span).text)")
            start += FrameHeader.byteCount + payload.count
        }
        if bytes.isEmpty { transcript.append("client <- the end of the connection") }
        _ = socket?.send(bytes, deadline: deadline)
    }
}
