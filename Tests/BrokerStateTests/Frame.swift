import BrokerState
import PasteboardWire
import Testing

/// A frame that the broker has sent to a peer.
struct Frame: CustomStringConvertible {
    let kind: FrameKind
    let stream: UInt64
    let payload: [UInt8]
    /// Whether a data frame is the last one of its stream.
    let last: Bool
    let order: FrameOrder
    /// The descriptor that is passed with the frame.
    var passing: Outbox.Passing.Descriptor?

    init(kind: FrameKind, stream: UInt64, payload: [UInt8], last: Bool, order: FrameOrder) {
        self.kind = kind
        self.stream = stream
        self.payload = payload
        self.last = last
        self.order = order
    }

    init(data: [UInt8], last: Bool, stream: UInt64) {
        self.init(kind: .data, stream: stream, payload: data, last: last, order: .stream)
    }

    func decode<Message: WireMessage>(_ type: Message.Type) -> Message {
        #expect(kind == Message.kind)
        do {
            return try Message(decoding: payload)
        } catch {
            Issue.record("a frame does not decode: \(error)")
            return Message()
        }
    }

    /// The code of an error frame.
    var code: ErrorCode? {
        kind == .error ? decode(Failure.self).code : nil
    }

    var description: String {
        switch kind {
        case .error: "error \(decode(Failure.self)) on \(stream)"
        case .data: "data \(payload.count)\(last ? " last" : "") on \(stream)"
        default: "\(kind) on \(stream)"
        }
    }
}

extension [Frame] {
    var kinds: [FrameKind] { map(\.kind) }

    /// The codes of all errors, in order.
    var codes: [ErrorCode] { compactMap(\.code) }

    /// The bytes of all data frames.
    var bytes: [UInt8] { flatMap { $0.kind == .data ? $0.payload : [] } }

    /// The first message of a type.
    func first<Message: WireMessage>(_ type: Message.Type) -> Message? {
        self.first { $0.kind == Message.kind }?.decode(type)
    }

    func all<Message: WireMessage>(_ type: Message.Type) -> [Message] {
        filter { $0.kind == Message.kind }.map { $0.decode(type) }
    }

    func on(_ stream: UInt64) -> [Frame] {
        filter { $0.stream == stream }
    }

    /// Frames that end a stream: `end`, `error` or data with `last`.
    var ends: [Frame] {
        filter { $0.kind == .end || $0.kind == .error || $0.last }
    }
}
