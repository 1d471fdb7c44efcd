package import PasteboardWire

/// What the state wants done, collected during one input and performed by the loop right after it: frames to send,
/// encoded into one reused array, and the few things that are not frames.
package struct Outbox: Sendable {
    package struct Send: Sendable {
        package let peer: PeerID
        package let order: FrameOrder
        package let bytes: Range<Int>
    }

    package enum Effect: Sendable, Equatable {
        /// Send what is queued, then close; the state has forgotten the peer already.
        case close(PeerID)
        /// Make, seal and forget the memory of kept bytes.
        case openKept(KeptID)
        case sealKept(KeptID)
        case closeKept(KeptID)
        /// Unlink the socket and stop accepting; go on until the state is drained.
        case stopListening
    }

    package private(set) var frames = FrameEncoder()
    package private(set) var sends: [Send] = []
    package private(set) var effects: [Effect] = []

    package init() {}

    package var isEmpty: Bool { self.sends.isEmpty && self.effects.isEmpty }

    package mutating func removeAll() {
        self.frames.removeAll()
        self.sends.removeAll(keepingCapacity: true)
        self.effects.removeAll(keepingCapacity: true)
    }

    mutating func send(
        _ message: some WireMessage,
        to peer: PeerID,
        stream: UInt64,
        order: FrameOrder = .connection,
        flags: FrameFlags = .none
    ) {
        let range = self.frames.append(message, stream: stream, flags: flags)
        self.sends.append(Send(peer: peer, order: order, bytes: range))
    }

    mutating func perform(_ effect: Effect) {
        self.effects.append(effect)
    }
}
