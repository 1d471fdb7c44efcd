import BrokerState
import PasteboardWire

// Frames of the peers: any kind with any fields, mutated ones, and ones that no correct client would send.
extension FrameWalk {
    /// The next stream of a peer.
    mutating func open(_ index: Int) -> UInt64 {
        let stream = broker.newStream(of: peers[index].id)
        peers[index].own.append(stream)
        return stream
    }

    mutating func send(_ kind: FrameKind, on stream: UInt64, as index: Int) {
        send(kind, maker.payload(of: kind), on: stream, as: index)
    }

    mutating func send(_ kind: FrameKind, repeating: Bool = false, as index: Int) {
        let stream: UInt64
        if Self.requests.contains(kind) {
            stream = open(index)
        } else if Self.answering.contains(kind), !peers[index].heard.isEmpty {
            stream = maker.input.element(of: peers[index].heard) ?? 0
        } else {
            stream = maker.input.element(of: peers[index].own) ?? 1
        }
        var payload = repeating ? [] : maker.payload(of: kind)
        if !repeating, maker.input.choice(16) == 0 { mutate(&payload) }
        send(kind, payload, on: stream, as: index)
    }

    mutating func mutate(_ payload: inout [UInt8]) {
        switch maker.input.choice(4) {
        case 0: payload.removeLast(min(payload.count, maker.input.choice(16)))
        case 1: payload += maker.input.take(maker.input.choice(16))
        default:
            guard !payload.isEmpty else { return }
            payload[Int(maker.input.number() % UInt64(payload.count))] = maker.input.byte()
        }
    }

    func send(
        _ kind: FrameKind,
        _ payload: [UInt8],
        flags: FrameFlags = .none,
        on stream: UInt64,
        as index: Int
    ) {
        broker.raw(kind: kind.rawValue, flags: flags.rawValue, payload: payload, on: stream, from: peers[index].id)
    }

    /// Sends bytes of a load, or of a kept representation.
    mutating func sendData(as index: Int) {
        let streams = maker.input.flag() ? peers[index].heard : peers[index].own
        guard let stream = maker.input.element(of: streams) else { return }
        let count = Int(maker.input.number() & 0x3FFFF)
        let flags: FrameFlags = maker.input.flag() ? .last : .none
        send(.data, [UInt8](repeating: 7, count: count), flags: flags, on: stream, as: index)
    }

    /// Sends a frame with a descriptor.
    mutating func pass(as index: Int) {
        let isAnswer = maker.input.flag()
        guard let stream = maker.input.element(of: isAnswer ? peers[index].heard : peers[index].own) else { return }
        let descriptors: [ReceivedDescriptor] = [
            .readOnlyFile, .sealedMemory(byteCount: maker.input.number()), .unusable("a pipe"),
        ]
        let payload = isAnswer ? maker.payload(of: .answer) : []
        let descriptor = maker.input.element(of: descriptors)
        broker.pass(descriptor, kind: isAnswer ? .answer : .data, payload: payload, on: stream, from: peers[index].id)
    }

    /// Sends a frame that no correct client would send.
    mutating func disturb(as index: Int) {
        var kind = maker.input.byte()
        if !isAlone, kind == FrameKind.stop.rawValue { kind = FrameKind.cancel.rawValue }
        let flags = maker.input.byte()
        let peer = peers[maker.input.choice(peers.count)]
        let stream =
            switch maker.input.choice(4) {
            case 0: maker.input.number()
            case 1: maker.input.element(of: peer.own) ?? 0
            case 2: (maker.input.element(of: peer.heard) ?? 0) ^ 1 << 32
            default: maker.input.element(of: peer.heard) ?? 0
            }
        let payload = maker.input.take(maker.input.choice(64))
        broker.raw(kind: kind, flags: flags, payload: payload, on: stream, from: peers[index].id)
    }
}
