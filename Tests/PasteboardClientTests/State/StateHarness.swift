import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport

/// A client state, the frames that the broker sends to it, and the frames that it sends.
struct StateHarness {
    var state: ClientState
    private var decoder = FrameDecoder()

    init(maximumAsks: UInt32? = nil, maximumStreams: UInt32 = 128, welcomed: Bool = true) throws {
        var hello = Hello()
        hello.maximumStreams = maximumAsks
        state = ClientState(hello: hello)
        if welcomed {
            _ = try broker(Welcome.standard(maximumStreams: maximumStreams), stream: 0)
            _ = sent()
        }
    }

    mutating func broker(
        _ message: some WireMessage,
        stream: UInt64,
        flags: FrameFlags = []
    ) throws(Failure) -> ClientEvent? {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream, flags: flags)
        return try broker(encoder.bytes)
    }

    mutating func data(_ count: Int, stream: UInt64, last: Bool = false) throws(Failure) -> ClientEvent? {
        var encoder = FrameMemory()
        encoder.appendData(Array(repeating: 1, count: count), stream: stream, flags: last ? .last : [])
        return try broker(encoder.bytes)
    }

    /// Delivers one complete frame from the broker.
    mutating func broker(
        _ frame: [UInt8],
        passing descriptor: Result<DescriptorBox, MissingDescriptor> = .failure(.notSent)
    ) throws(Failure) -> ClientEvent? {
        var offset = 0
        guard let chunk = try decoder.next(in: frame.span, at: &offset) else { return nil }
        var result: ClientEvent?
        try state.received(chunk, in: frame.span, descriptor: { descriptor }, { _, event, _ in result = event })
        return result
    }

    /// Delivers a message, and the descriptor that it announces or the reason why that is missing.
    mutating func broker(
        _ message: some WireMessage,
        stream: UInt64,
        passing descriptor: Result<DescriptorBox, MissingDescriptor>?
    ) throws(Failure) -> ClientEvent? {
        var encoder = FrameMemory()
        encoder.append(message, stream: stream, flags: .last, descriptorCount: descriptor == nil ? 0 : 1)
        decoder.takesDescriptors = true
        return try broker(encoder.bytes, passing: descriptor ?? .failure(.notSent))
    }

    /// An empty message of any kind.
    static func emptyFrame(_ kind: FrameKind, stream: UInt64, flags: FrameFlags = []) -> [UInt8] {
        Self.emptyFrame(rawKind: kind.rawValue, stream: stream, flags: flags)
    }

    static func emptyFrame(rawKind: UInt8, stream: UInt64, flags: FrameFlags = []) -> [UInt8] {
        var header = FrameHeader(.error, stream: stream, length: 0, flags: flags)
        header.rawKind = rawKind
        var encoder = FrameMemory()
        encoder.append(header: header)
        return encoder.bytes
    }

    /// A message of any kind whose only byte is no field.
    static func malformedFrame(_ kind: FrameKind, stream: UInt64) -> [UInt8] {
        var encoder = FrameMemory()
        encoder.append(header: FrameHeader(kind, stream: stream, length: 1))
        return encoder.bytes + [0x0B]
    }

    /// Takes the frames to send, connection-ordered ones first.
    mutating func sent() -> [ScriptedPeer.Frame] {
        let (connection, stream) = (state.connectionFrames, state.streamFrames)
        let bytes = connection.bytes.prefix(connection.count) + stream.bytes.prefix(stream.count)
        state.connectionFrames.removeAll()
        state.streamFrames.removeAll()
        var frames: [ScriptedPeer.Frame] = []
        var offset = 0
        while let header = FrameHeader(bytes.span, at: offset) {
            let start = offset + FrameHeader.byteCount
            offset = start + Int(header.length)
            frames.append(ScriptedPeer.Frame(header: header, payload: Array(bytes[start..<offset])))
        }
        return frames
    }

    mutating func answeredLoad(credit: UInt64 = 100, byteCount: UInt64? = nil) throws -> UInt64 {
        var load = Load()
        load.credit = credit
        let stream = try state.open(load)
        var answer = Answer()
        answer.byteCount = byteCount
        _ = try broker(answer, stream: stream)
        _ = sent()
        return stream
    }

    mutating func publication() throws -> UInt64 {
        let stream = try state.open(Write())
        state.commit(stream, itemCount: 1)
        _ = try broker(Committed(), stream: stream)
        _ = sent()
        return stream
    }

    /// Begins a drag session.
    mutating func session() throws -> UInt64 {
        let stream = try state.open(Drag())
        state.commit(stream, itemCount: 1)
        state.begin(stream)
        _ = try broker(Committed(), stream: stream)
        _ = sent()
        return stream
    }

    mutating func dropped(_ operation: DropOperation) throws -> UInt64 {
        let stream = try session()
        state.drop(stream)
        var dropped = Dropped()
        dropped.operation = operation
        _ = try broker(dropped, stream: stream)
        _ = sent()
        return stream
    }

    mutating func addition() throws -> UInt64 {
        var drag = Drag()
        drag.handle = 1
        return try state.open(drag)
    }

    mutating func destination() throws -> UInt64 {
        let stream = try state.open(Destination())
        _ = try broker(Registered(), stream: stream)
        _ = sent()
        return stream
    }

    /// Opens a session at a destination.
    mutating func visit(_ stream: UInt64, at destination: UInt64) throws(Failure) -> ClientEvent? {
        var session = Session()
        session.destination = destination
        session.handle = 7
        return try broker(session, stream: stream)
    }

    mutating func ask(_ stream: UInt64, credit: UInt64) throws(Failure) -> ClientEvent? {
        var ask = Ask()
        ask.credit = credit
        return try broker(ask, stream: stream)
    }
}

extension ClientEvent {
    /// The event's name and stream, for comparison.
    var summary: String {
        switch self {
        case .welcomed: "welcomed"
        case .answered(let stream, _): "answered \(stream)"
        case .passed(let stream, _, _): "passed \(stream)"
        case .data(let stream, let payload, let last): "data \(stream) \(payload.count)\(last ? " last" : "")"
        case .progress(let stream, _): "progress \(stream)"
        case .committed(let stream, _): "committed \(stream)"
        case .contents(let stream, _): "contents \(stream)"
        case .item(let stream, _): "item \(stream)"
        case .statusEntry(let stream, _): "statusEntry \(stream)"
        case .ended(let stream, _): "ended \(stream)"
        case .failed(let stream, let failure): "failed \(stream) \(failure.code)"
        case .asked(let stream, _): "asked \(stream)"
        case .askCredit(let stream): "askCredit \(stream)"
        case .askCancelled(let stream): "askCancelled \(stream)"
        case .proposed(let stream, _): "proposed \(stream)"
        case .exited(let stream, _): "exited \(stream)"
        case .dropped(let stream, _): "dropped \(stream)"
        case .transferred(let stream, _): "transferred \(stream)"
        case .registered(let stream, _): "registered \(stream)"
        case .changed(let stream, _): "changed \(stream)"
        case .session(let stream, _): "session \(stream)"
        case .entered(let stream, _): "entered \(stream)"
        case .updated(let stream, _): "updated \(stream)"
        case .left(let stream, _): "left \(stream)"
        case .perform(let stream, _): "perform \(stream)"
        }
    }

    /// Whether the event ends a stream of the program or an ask.
    var isEnd: Bool {
        switch self {
        case .data(_, _, let last): last
        case .passed, .ended, .failed, .askCancelled: true
        default: false
        }
    }
}
