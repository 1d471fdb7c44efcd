package import PasteboardWire

/// A destination's view of one session: all messages of the broker on the session's stream, combined into one value.
package struct DestinationSession: Sendable {
    /// The next step of the destination after an event.
    package enum Step: Sendable {
        case none
        /// The destination has to answer with a proposal of this sequence.
        case propose(sequence: UInt64, at: Location, isEntry: Bool)
        /// The session has left the destination.
        case exited
        case perform(DropOperation, at: Location)
        /// The session has ended; no more events follow.
        case over(DragProgress.Outcome)
    }

    /// The stream, which the broker opened.
    package let stream: UInt64
    /// The handle of the publication with the items. It identifies the session.
    package let handle: UInt64
    /// The number of times that items were committed.
    package private(set) var version: UInt64
    /// The items that this destination may see. Loads name them by their index here.
    package private(set) var items: [Item] = []
    /// The announced number of items.
    package private(set) var itemCount: Int
    /// Whether a move here would be performed.
    package private(set) var allowsMove: Bool
    package let isRestricted: Bool
    /// The name of the source, as reported by itself, and its process id, as reported by the kernel.
    package let sourceLabel: String?
    package let sourceProcess: UInt32?
    /// The location of the session; nil while it is elsewhere.
    package private(set) var location: Location?
    /// The operation of the drop here; nil before it.
    package private(set) var operation: DropOperation?
    /// The result of the drop, if the broker has sent it.
    package private(set) var transferred: Transferred?

    /// Creates the session from the message that opens the stream.
    package init(_ stream: UInt64, _ session: Session) {
        self.stream = stream
        handle = session.handle ?? 0
        version = session.version ?? 1
        itemCount = min(Int(clamping: session.itemCount ?? 0), WireLimits.items)
        allowsMove = session.allowsMove ?? false
        isRestricted = session.isRestricted ?? false
        sourceLabel = session.ownerLabel
        sourceProcess = session.ownerProcess
    }

    /// Whether the session was dropped here.
    package var isDropped: Bool { operation != nil }

    /// Whether all items have been received.
    package var isComplete: Bool { items.count == itemCount }

    /// Handles an event of the session's stream.
    package mutating func handle(_ event: ClientEvent) -> Step {
        switch event {
        case .session(_, let session):
            version = max(version, session.version ?? 0)
            itemCount = min(max(itemCount, Int(clamping: session.itemCount ?? 0)), WireLimits.items)
            allowsMove = session.allowsMove ?? allowsMove
        case .item(_, let item):
            if !isComplete { items.append(item) }
        case .entered(_, let enter):
            let location = enter.location ?? Location()
            self.location = location
            return .propose(sequence: enter.sequence ?? 0, at: location, isEntry: true)
        case .updated(_, let update):
            let location = update.location ?? self.location ?? Location()
            self.location = location
            return .propose(sequence: update.sequence ?? 0, at: location, isEntry: false)
        case .left:
            self.location = nil
            return .exited
        case .perform(_, let perform):
            guard !isDropped else { return .none }
            let operation = perform.operation ?? .absent
            self.operation = operation
            let location = perform.location ?? self.location ?? Location()
            self.location = location
            return .perform(operation, at: location)
        case .transferred(_, let transferred):
            self.transferred = transferred
        case .ended:
            return .over(outcome)
        case .failed(_, let failure):
            return .over(.failed(failure))
        default:
            break
        }
        return .none
    }

    /// The outcome when the stream ends: nothing was transferred unless the broker has sent a result before.
    private var outcome: DragProgress.Outcome {
        guard let transferred, let operation else { return .cancelled }
        return transferred.failure.map { .failed($0) } ?? .transferred(operation)
    }
}
