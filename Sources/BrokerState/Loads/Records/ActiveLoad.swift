package import PasteboardWire

package typealias LoadID = SlotTable<ActiveLoad>.ID

extension LoadID {
    /// The stream that the broker opens to the source for this load: even, made of slot and generation, so that data
    /// finds its load without a search. A load of kept bytes has one too, which is not used.
    package var askStream: UInt64 { StreamID(askSlot: slot, generation: generation).rawValue }

    init(askStream: UInt64) {
        let stream = StreamID(askStream)
        self.init(slot: stream.askSlot, generation: stream.generation)
    }
}

/// One load: the source of its bytes, their receiver, and its progress.
package struct ActiveLoad: ~Copyable, Sendable {
    enum Source: BitwiseCopyable {
        case peer(PeerID)
        /// The broker itself.
        case kept(KeptID)
    }

    enum Receiver: BitwiseCopyable {
        case destination(PeerID, stream: UInt64)
        /// Kept bytes that several loads read: this load is the one request to the source for all of them.
        case cache(KeptID)
    }

    var phase = LoadPhase.queued
    var window: CreditWindow

    let receiver: Receiver
    let source: Source
    let publication: PublicationID
    let part: PublicationPart
    /// The item's index, and the number of items, as the destination counts them.
    let visibleItem: UInt32
    let visibleCount: UInt32
    let charge: Charge
    /// The neighbours in the list of the destination's loads.
    var newer = LoadID.none
    var older = LoadID.none

    let startedAt: UInt64
    /// The caller's deadline for the whole load, which replaces the others.
    let endsBy: UInt64?
    /// The time that the source may take for the first byte.
    let firstByte: UInt64
    let maximumByteCount: UInt64?
    let isDescriptorWelcome: Bool
    /// Whether the destination also accepts the source's own file, and the source permits that.
    let isInPlaceWelcome: Bool
    /// Whether the source may answer with a descriptor. The load then counts in `Loads.expectedDescriptors`.
    var expectsDescriptor = false

    var declaredByteCount: UInt64?
    /// Whether the load is one of a limited number and its end has not been counted. A descriptor that waits for the
    /// socket may still be sent after the load was cancelled, so it is counted when the load is released.
    var isCounted = false
    /// Whether the bytes are secret, so that no counter shows their number.
    var isConcealed = false
    /// Set while others wait for the load's place at its source. See `Loads.updateTurn`.
    var turn: Turn?
    /// The source's `content` value.
    var content: ContentForm?
    /// The time when the source was asked, last sent a byte or reported progress, or received credit after it had used
    /// up all of it.
    var activeAt: UInt64 = 0
    /// The time of `activeAt`, but without reports of progress. Progress alone extends a load for a limited time after
    /// this one.
    var byteAt: UInt64 = 0
    /// The time when the destination's socket last accepted a byte, or when the first byte that waits for it arrived.
    var takenAt: UInt64 = 0
    /// The number of progress frames that were forwarded to the destination.
    var progressCount: UInt64 = 0

    /// The number of bytes that exist. It is known only for kept bytes.
    var available: UInt64 {
        guard case .kept = source else { return .max }
        return declaredByteCount ?? .max
    }

    /// The queue for the load's frames. Before the first byte they are control frames, which are limited for a
    /// destination that does not read. Later ones must stay after the bytes.
    var order: FrameOrder { window.received == 0 ? .connection : .stream }

    /// The number of progress frames that may have been passed on: a source must not fill a destination's queue with
    /// them.
    func progressAllowed(at now: UInt64) -> UInt64 {
        64 + window.delivered / 4_096 + (now - min(now, startedAt)) / 1_000
    }

    var isCaching: Bool { if case .cache = receiver { true } else { false } }

    // MARK: Events

    /// The source is asked.
    mutating func ask(at now: UInt64) {
        phase = .asked(LoadPhase.Asked(at: now))
        restart(at: now)
    }

    /// Bytes have arrived.
    mutating func receive(_ count: UInt64, at now: UInt64) {
        window.receive(count)
        phase = .flowing
        restart(at: now)
    }

    /// The source has from now on the full time for its next byte.
    mutating func restart(at now: UInt64) {
        activeAt = now
        byteAt = now
    }

    // MARK: Deadlines

    /// The time at which the load ends unless its source sends something; nil if the source has nothing to do.
    ///
    /// - Parameter servedAt: the last time at which the source served a load; nil for the broker itself.
    func deadline(servedAt: UInt64?, _ limits: BrokerLimits) -> UInt64? {
        if let endsBy { return endsBy }
        guard let servedAt else { return nil }
        if phase.isQueued {
            let last = startedAt.addingClamped(max(limits.keepAlive, firstByte))
            return min(max(startedAt, servedAt).addingClamped(firstByte), last)
        }
        // A source without credit cannot send a byte.
        guard !window.isUsedUp else { return nil }
        let timeout = phase.isAsked ? firstByte : limits.progress
        return min(activeAt.addingClamped(timeout), byteAt.addingClamped(max(limits.keepAlive, timeout)))
    }
}

/// The terms of a destination for one load.
struct LoadTerms {
    let destination: PeerID
    let stream: UInt64
    let account: Accounting.AccountID
    let credit: UInt64
    let maximumByteCount: UInt64?
    /// 0: the longest time that a load may take.
    let timeoutMilliseconds: UInt64?
    let isDescriptorWelcome: Bool
    let isInPlaceWelcome: Bool
}

/// The action for a chunk of data that a peer has sent.
package enum RelayVerdict: Sendable, Equatable {
    /// Pass the bytes on in frames of at most `frameLength` bytes. The last of them has the flag `last` if `last` is
    /// set.
    case forward(to: PeerID, stream: UInt64, load: LoadID, frameLength: Int, last: Bool)
    /// Append the bytes to kept contents.
    case keep(KeptID)
    /// Append the bytes to kept contents and call `stored`: loads wait for them.
    case cache(KeptID, last: Bool)
    /// Late or refused: drop the bytes.
    case drop
    /// The peer is being closed: ignore the rest of its input.
    case closing
}

/// A chunk of kept bytes that a destination may be sent now.
package struct KeptChunk: Sendable, Equatable {
    package let kept: KeptID
    package let offset: UInt64
    package let count: Int
    package let destination: PeerID
    package let stream: UInt64
    package let load: LoadID
    package let last: Bool

    package var header: FrameHeader {
        FrameHeader(.data, stream: stream, length: count, flags: last ? .last : .none)
    }
}

/// An event of a load, for the drag session or the contents that its publication belongs to.
enum LoadEvent {
    /// A load has ended; without a failure all its bytes have arrived.
    case ended(SessionID, PublicationPart, Failure?)
    /// A load that was reported as complete has failed: its descriptor could not be passed on.
    case lost(SessionID, PublicationPart, Failure)
    /// A load of contents that can be loaded a limited number of times is over. It counts unless it failed before its
    /// destination was sent a byte.
    case counted(PublicationID, PublicationPart, isUsed: Bool)
}
