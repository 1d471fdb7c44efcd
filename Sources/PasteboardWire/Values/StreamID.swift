/// The number of a stream. It shows which side opened it and, for the broker's streams, the purpose.
///
/// - 0 is the connection itself.
/// - Odd numbers are opened by the client; they only grow.
/// - Even numbers are opened by the broker. They contain the slot and the generation of a record of the broker, so that
///   a frame finds the record without a search. Bit 31 separates destination sessions from asks.
@usableFromInline package struct StreamID: RawRepresentable, Hashable, Sendable {
    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    @inlinable
    @inline(__always)
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The stream of an ask, for the load in this slot of the broker's table.
    @inlinable
    package init(askSlot slot: UInt32, generation: UInt32) {
        rawValue = UInt64(generation) << 32 | UInt64(slot) << 1
    }

    /// The stream of a destination session, in this slot of the broker's table.
    @inlinable
    package init(destinationSessionSlot slot: UInt32, generation: UInt32) {
        rawValue = UInt64(generation) << 32 | 1 << 31 | UInt64(slot) << 1
    }

    @inlinable @inline(__always) package var isOpenedByClient: Bool { rawValue & 1 == 1 }
    /// Whether the broker opened the stream. The connection itself counts as one.
    @inlinable @inline(__always) package var isOpenedByBroker: Bool { rawValue & 1 == 0 }
    /// Whether the broker opened it for a drag session at a destination.
    @inlinable @inline(__always) package var isDestinationSession: Bool { rawValue & (1 << 31 | 1) == 1 << 31 }

    @inlinable @inline(__always) package var sort: StreamSort {
        if isOpenedByClient { return .request }
        if rawValue == 0 { return .connection }
        return isDestinationSession ? .session : .ask
    }

    /// The slot of the load that an ask is for. For the stream of a destination session, no load has this slot.
    @inlinable package var askSlot: UInt32 { UInt32(truncatingIfNeeded: rawValue) >> 1 }
    /// The slot of the record of a destination session.
    @inlinable package var destinationSessionSlot: UInt32 { askSlot & 0x3FFF_FFFF }
    /// The generation of the broker's record; meaningful for streams that the broker opened.
    @inlinable package var generation: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
}

/// The sort of a stream, which its number shows.
@usableFromInline package enum StreamSort: Sendable, CaseIterable {
    /// Stream 0.
    case connection
    /// Opened by a client.
    case request
    /// Opened by the broker, for a load.
    case ask
    /// Opened by the broker, for a drag session at a destination.
    case session
}
