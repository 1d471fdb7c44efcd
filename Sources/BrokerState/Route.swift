import PasteboardWire

package typealias RouteID = SlotTable<Route>.ID

extension RouteID {
    /// The stream that the broker opens to the source for this load: even, slot and generation, so that its data
    /// finds the route without a search. (Opened for kept contents too, where nobody hears of it.)
    package var askStream: UInt64 { UInt64(self.generation) << 32 | UInt64(self.slot) << 1 }

    init(askStream: UInt64) {
        self.init(
            slot: UInt32(truncatingIfNeeded: askStream) >> 1,
            generation: UInt32(truncatingIfNeeded: askStream >> 32)
        )
    }
}

/// One load on its way: where its bytes come from, where they go, and how many may come.
///
/// All offsets count bytes of the load from its start:
///
///     delivered <= received <= granted <= credit
///
/// `credit` is what the destination allows, `granted` what the source was told: at most `window` ahead of what the
/// destination's socket has taken, so that the broker never holds more than that for one load.
package struct Route: Sendable {
    enum Source: Sendable {
        case peer(PeerID)
        case kept(KeptID)
    }

    enum Phase: Sendable {
        /// In the queue of a source that is asked for as many loads as it takes.
        case waiting
        /// Asked; nothing has come yet.
        case asked
        case flowing
        /// Over for both sides; bytes of it still wait for the destination's socket and are charged until it takes them.
        case ended
    }

    let destination: PeerID
    let destinationStream: UInt64
    let source: Source
    let publication: PublicationID
    let item: UInt32
    let representation: UInt32
    let charge: Charge
    /// Where it stands in its destination's list of loads.
    var place: Int
    let startedAt: UInt64
    /// The caller's deadline for the whole load, which replaces the others.
    let endsBy: UInt64?
    let maximumByteCount: UInt64?
    /// How long the source may take for the first byte.
    let firstByte: UInt64
    /// Whether the destination takes a descriptor for it.
    let descriptorWelcome: Bool
    /// Whether it also takes the source's own file, and the source gives it.
    let inPlaceWelcome: Bool
    /// The kept bytes that it fills, if it is the ask of a fill: then it has no destination.
    var filling: KeptID?

    var phase = Phase.waiting
    var declaredByteCount: UInt64?
    /// What the source said about the bytes that it gives.
    var content: ContentForm?
    var isAnswered = false
    /// What the source was told about descriptors; it counts among those that may be on their way.
    var mayPass = false
    /// A descriptor is the load, and waits for the destination's socket.
    var isPassing = false

    var credit: UInt64
    var granted: UInt64 = 0
    var received: UInt64 = 0
    var delivered: UInt64 = 0
    var window: UInt64 = Window.initial
    var askedAt: UInt64 = 0
    /// When the source last gave a byte, reported progress, or was allowed to go on.
    var activeAt: UInt64 = 0
    /// When the destination's socket last took a byte, or the first of those that wait for it came.
    var takenAt: UInt64 = 0
    /// When it was asked, last gave a byte or was allowed to go on: progress alone keeps the load alive only so long
    /// after that.
    var byteAt: UInt64 = 0
    /// Progress frames that were passed on.
    var progressCount: UInt64 = 0

    /// What the destination allows; of kept bytes no more than there are.
    var allowed: UInt64 {
        guard case .kept = self.source, let total = self.declaredByteCount else { return self.credit }
        return min(self.credit, total)
    }

    /// Until bytes have come, frames of the load count as control: a destination that reads none cannot let them pile
    /// up. After that they stay behind the bytes.
    var order: FrameOrder { self.received == 0 ? .connection : .stream }

    /// How many progress frames may have been passed on: a source must not fill the queue of a destination with them.
    func progressAllowed(at now: UInt64) -> UInt64 {
        64 + self.delivered / 4_096 + (now - min(now, self.startedAt)) / 1_000
    }

    /// What it gives, of an item that was dropped.
    var part: SessionDrop.Part { SessionDrop.Part(item: self.item, representation: self.representation) }

    /// Bytes that the source may send or that wait for the destination's socket: what the pool is charged for.
    var outstanding: UInt64 { self.granted - min(self.granted, self.delivered) }
}

/// How far ahead of the destination's socket a source may run.
enum Window {
    static let initial: UInt64 = 256 << 10
    static let largest: UInt64 = 1 << 20
    static let smallest: UInt64 = 16 << 10

    /// What is fair while `free` bytes of the transfer pool are left.
    static func allowed(_ window: UInt64, poolFree free: UInt64) -> UInt64 {
        max(self.smallest, min(window, free / 16))
    }
}

/// What becomes of a piece of data that a peer has sent.
package enum RelayVerdict: Sendable, Equatable {
    /// Pass the bytes on as frames of at most `frameLength` bytes; the last of them carries `last` if the flag says so.
    case forward(to: PeerID, stream: UInt64, route: RouteID, frameLength: Int, last: Bool)
    /// Append the bytes to kept contents.
    case keep(KeptID)
    /// The same, and say `stored` then: loads wait for them.
    case fill(KeptID, last: Bool)
    /// Late or refused: read and forgotten.
    case drop
    /// The peer is being closed; what else it sent does not count.
    case closing
}

/// A stretch of kept bytes that a destination may be sent now.
package struct KeptChunk: Sendable, Equatable {
    package let kept: KeptID
    package let offset: UInt64
    package let count: Int
    package let destination: PeerID
    package let stream: UInt64
    package let route: RouteID
    package let last: Bool
}
