package import BrokerState
package import PasteboardWire

/// Takes the description of a broken condition.
package typealias FaultReport = @Sendable (String) -> Void

/// A frame that the broker has sent to a peer.
package struct Frame: CustomStringConvertible {
    package let kind: FrameKind
    package let stream: UInt64
    package let payload: [UInt8]
    /// Whether a data frame is the last one of its stream.
    package let last: Bool
    package let order: FrameOrder
    /// The descriptor that is passed with the frame.
    package var passing: Outbox.Passing.Descriptor?
    /// Whether the header announces a descriptor.
    package var announcesDescriptor = false
    /// Takes the failures of `decode`.
    package var report: FaultReport = { fatalError($0) }

    package init(kind: FrameKind, stream: UInt64, payload: [UInt8], last: Bool, order: FrameOrder) {
        self.kind = kind
        self.stream = stream
        self.payload = payload
        self.last = last
        self.order = order
    }

    package init(data: [UInt8], last: Bool, stream: UInt64) {
        self.init(kind: .data, stream: stream, payload: data, last: last, order: .stream)
    }

    package func decode<Message: WireMessage>(_ type: Message.Type) -> Message {
        if kind != Message.kind { report("a frame of kind \(kind) is decoded as \(type)") }
        do throws(Failure) {
            return try Message(decoding: payload)
        } catch {
            report("the broker has sent \(kind), which does not decode: \(error)")
            return Message()
        }
    }

    /// The code of an error frame.
    package var code: ErrorCode? {
        kind == .error ? decode(Failure.self).code : nil
    }

    package var description: String {
        switch kind {
        case .error: "error \(decode(Failure.self)) on \(stream)"
        case .data: "data \(payload.count)\(last ? " last" : "") on \(stream)"
        default: "\(kind) on \(stream)"
        }
    }
}

extension [Frame] {
    package var kinds: [FrameKind] { map(\.kind) }

    /// The codes of all errors, in order.
    package var codes: [ErrorCode] { compactMap(\.code) }

    /// The bytes of all data frames.
    package var bytes: [UInt8] { flatMap { $0.kind == .data ? $0.payload : [] } }

    /// The first message of a type.
    package func first<Message: WireMessage>(_ type: Message.Type) -> Message? {
        self.first { $0.kind == Message.kind }?.decode(type)
    }

    package func all<Message: WireMessage>(_ type: Message.Type) -> [Message] {
        filter { $0.kind == Message.kind }.map { $0.decode(type) }
    }

    package func on(_ stream: UInt64) -> [Frame] {
        filter { $0.stream == stream }
    }

    /// Frames that end a stream: `end`, `error` or data with `last`.
    package var ends: [Frame] {
        filter { $0.kind == .end || $0.kind == .error || $0.last }
    }
}
