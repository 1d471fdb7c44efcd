import PasteboardWire

/// A drag session over a destination, and the effect of a drop there.
struct Tracking: Sendable {
    let destinationSession: DestinationSessionID
    let location: Location
    /// The version of the items that the destination is asked about.
    let version: UInt64
    /// The number of the source's move, which the proposal for the source repeats.
    let move: UInt64
    var answer: Answer

    enum Answer: Sendable, Equatable {
        /// The destination is asked, and the source has waited since the given time.
        /// → proposed
        case awaited(since: UInt64)
        case proposed(DropOperation)
    }

    /// The time since which the source waits for a proposal; nil if there is one.
    var awaitedSince: UInt64? {
        guard case .awaited(let since) = answer else { return nil }
        return since
    }

    /// The operation that the destination has proposed for this location.
    var operation: DropOperation? {
        guard case .proposed(let operation) = answer else { return nil }
        return operation
    }
}
