import PasteboardWire
import Testing

@testable import ProtocolVectors

/// A way in which a broker breaks a rule: the project's own broker, with altered frames.
struct BrokenBroker: Sendable, CustomTestStringConvertible {
    /// A frame and what it becomes; `state` lasts as long as the exchange.
    typealias Change = @Sendable (_ frame: ReceivedFrame, _ state: inout Set<UInt64>) -> [ReceivedFrame]

    let rule: String
    let fault: String
    /// The frames that the broker receives instead of those that were sent.
    var receives: Change = { frame, _ in [frame] }
    /// The frames that it sends instead of its own.
    var sends: Change = { frame, _ in [frame] }
    /// The descriptors that are taken for others.
    var takes: [PassedDescriptor: PassedDescriptor] = [:]

    var testDescription: String { "\(rule), \(fault)" }

    init(_ rule: String, _ fault: String) {
        (self.rule, self.fault) = (rule, fault)
    }

    /// A broker that does not see a field of the clients' messages.
    static func ignores(_ rule: String, _ kind: FrameKind, _ field: String) -> BrokenBroker {
        var broken = BrokenBroker(rule, "ignores \(field) of \(kind)")
        broken.receives = { frame, _ in [frame.header.kind == kind ? frame.without(field) : frame] }
        return broken
    }

    /// A broker that leaves out a field of its messages.
    static func omits(_ rule: String, _ kind: FrameKind, _ field: String) -> BrokenBroker {
        var broken = BrokenBroker(rule, "omits \(field) of \(kind)")
        broken.sends = { frame, _ in [frame.header.kind == kind ? frame.without(field) : frame] }
        return broken
    }

    /// A broker that does not see frames of a kind.
    static func drops(_ rule: String, _ kind: FrameKind) -> BrokenBroker {
        var broken = BrokenBroker(rule, "ignores \(kind)")
        broken.receives = { frame, _ in frame.header.kind == kind ? [] : [frame] }
        return broken
    }

    /// A broker whose messages of a kind are altered.
    static func alters<Message: WireMessage>(
        _ rule: String,
        _ fault: String,
        _ change: @escaping @Sendable (inout Message) -> Void
    ) -> BrokenBroker {
        var broken = BrokenBroker(rule, fault)
        broken.sends = { frame, _ in [frame.altered(change)] }
        return broken
    }

    /// A broker that takes frames of its clients for others.
    static func receives(
        _ rule: String,
        _ fault: String,
        _ change: @escaping @Sendable (_ frame: ReceivedFrame) -> [ReceivedFrame]
    ) -> BrokenBroker {
        var broken = BrokenBroker(rule, fault)
        broken.receives = { frame, _ in change(frame) }
        return broken
    }

    /// A broker whose headers are altered.
    static func header(
        _ rule: String,
        _ fault: String,
        _ change: @escaping @Sendable (inout FrameHeader) -> Void
    ) -> BrokenBroker {
        var broken = BrokenBroker(rule, fault)
        broken.sends = { frame, _ in
            var frame = frame
            change(&frame.header)
            return [frame]
        }
        return broken
    }

    /// A broker that takes a passed descriptor for a regular file.
    static func accepts(_ rule: String, _ passed: PassedDescriptor) -> BrokenBroker {
        var broken = BrokenBroker(rule, "accepts a descriptor: \(passed)")
        broken.takes = [passed: .file]
        return broken
    }

    /// A broker that sends other frames instead.
    static func sends(_ rule: String, _ fault: String, _ change: @escaping Change) -> BrokenBroker {
        var broken = BrokenBroker(rule, fault)
        broken.sends = change
        return broken
    }
}

/// Connections to a broker that breaks a rule.
struct BrokenPeers: ExchangePeers {
    private let broken: BrokenBroker
    private var peers = StatePeers()
    private var waiting: [String: [ReceivedFrame]] = [:]
    private var states: [String: Set<UInt64>] = [:]

    init(_ broken: BrokenBroker) {
        self.broken = broken
    }

    mutating func send(_ bytes: [UInt8], passing passed: PassedDescriptor?, from peer: String) {
        let descriptor = passed.map { broken.takes[$0] ?? $0 }
        guard let header = FrameHeader(bytes.span, at: 0) else {
            return peers.send(bytes, passing: descriptor, from: peer)
        }
        let frame = ReceivedFrame(header: header, payload: Array(bytes.dropFirst(FrameHeader.byteCount)))
        for frame in broken.receives(frame, &states["to \(peer)", default: []]) {
            var encoder = FrameMemory()
            encoder.append(header: frame.header)
            peers.send(encoder.bytes + frame.payload, passing: descriptor, from: peer)
        }
    }

    mutating func next(for peer: String) throws(ExchangeFault) -> ReceivedFrame? {
        while waiting[peer, default: []].isEmpty {
            guard let frame = try peers.next(for: peer) else { return nil }
            waiting[peer] = broken.sends(frame, &states["from \(peer)", default: []])
        }
        return waiting[peer]?.removeFirst()
    }

    mutating func close(_ peer: String) {
        peers.close(peer)
    }
}

extension ReceivedFrame {
    /// The frame with another payload.
    func with(_ payload: [UInt8]) -> ReceivedFrame {
        var frame = self
        frame.payload = payload
        // A header may announce another length on purpose.
        frame.header.length = header.length &+ UInt32(truncatingIfNeeded: payload.count &- self.payload.count)
        return frame
    }

    /// The frame without all fields of this name, also in messages that it contains. With `keepingLast`, the last one
    /// remains.
    func without(_ name: String, keepingLast: Bool = false) -> ReceivedFrame {
        guard let message = header.kind.flatMap(ProtocolSchema.shipped.message) else { return self }
        return with(Self.removing(name, keepingLast, from: payload[...], message) ?? payload)
    }

    private static func removing(
        _ name: String,
        _ keepsLast: Bool,
        from bytes: ArraySlice<UInt8>,
        _ message: String
    ) -> [UInt8]? {
        let bytes = Array(bytes)
        let known = ProtocolSchema.shipped.messages[message] ?? [:]
        guard let fields = MessageField.fields(of: bytes, in: 0..<bytes.count) else { return nil }
        var result: [UInt8] = []
        var start = 0
        let last = fields.lastIndex { known[$0.number]?.name == name }
        for (index, field) in fields.enumerated() {
            defer { start = field.value.upperBound }
            let type = known[field.number]
            if type?.name == name, !keepsLast || index != last { continue }
            guard type?.name != name, let inner = type?.type, ProtocolSchema.shipped.messages[inner] != nil,
                let rest = removing(name, keepsLast, from: bytes[field.contents], inner), rest.count < 128
            else {
                result += bytes[start..<field.value.upperBound]
                continue
            }
            result += bytes[start..<field.value.lowerBound] + [UInt8(rest.count)] + rest
        }
        return result
    }

    /// The frame with an altered message, if it has one of this type.
    func altered<Message: WireMessage>(_ change: (inout Message) -> Void) -> ReceivedFrame {
        guard header.kind == Message.kind, var message = try? Message(decoding: payload) else { return self }
        change(&message)
        var encoder = FrameMemory()
        encoder.append(message, stream: header.stream)
        return with(Array(encoder.bytes.dropFirst(FrameHeader.byteCount)))
    }
}
