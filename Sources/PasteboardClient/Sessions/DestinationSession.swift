package import PasteboardWire

/// What a destination knows of one session that has come to it: everything that the broker has said on the session's
/// stream, folded into one value.
package struct DestinationSession: Sendable {
    /// What is to be done about what has come.
    package enum Step: Sendable {
        case none
        /// A proposal of this sequence is owed.
        case propose(sequence: UInt64, at: Location, isEntry: Bool)
        /// The session is elsewhere.
        case exited
        case perform(DropOperation, at: Location)
        /// The session is over; no more events follow.
        case over(DragProgress.Outcome)
    }

    /// The broker's stream.
    package let stream: UInt64
    /// The publication that the items are; it names the session.
    package let handle: UInt64
    /// How often items were given.
    package private(set) var version: UInt64
    /// Those that this destination may see, by the place that loads name.
    package private(set) var items: [Item] = []
    /// How many there will be.
    package private(set) var itemCount: Int
    /// Whether a move here would be honoured.
    package private(set) var allowsMove: Bool
    package let isRestricted: Bool
    /// The source's name, as it said itself, and its process id, as the kernel said.
    package let sourceLabel: String?
    package let sourceProcess: UInt32?
    /// Where the session is; nil while it is elsewhere.
    package private(set) var location: Location?
    /// The operation of the drop here; nil before it.
    package private(set) var operation: DropOperation?
    /// The result of the drop, if the broker has sent it.
    package private(set) var transferred: Transferred?

    /// Begins with the message that opens the stream.
    package init(_ stream: UInt64, _ session: Session) {
        self.stream = stream
        self.handle = session.handle ?? 0
        self.version = session.version ?? 1
        self.itemCount = min(Int(clamping: session.itemCount ?? 0), WireLimits.items)
        self.allowsMove = session.allowsMove ?? false
        self.isRestricted = session.isRestricted ?? false
        self.sourceLabel = session.ownerLabel
        self.sourceProcess = session.ownerProcess
    }

    /// Whether it was dropped here.
    package var isDropped: Bool { self.operation != nil }

    /// Whether all items have come.
    package var isComplete: Bool { self.items.count == self.itemCount }

    /// Takes what has come on the session's stream.
    package mutating func take(_ event: ClientEvent) -> Step {
        switch event {
        case .session(_, let session):
            self.version = max(self.version, session.version ?? 0)
            self.itemCount = min(max(self.itemCount, Int(clamping: session.itemCount ?? 0)), WireLimits.items)
            self.allowsMove = session.allowsMove ?? self.allowsMove
        case .item(_, let item):
            if !self.isComplete { self.items.append(item) }
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
            guard !self.isDropped else { return .none }
            let operation = perform.operation ?? .absent
            self.operation = operation
            let location = perform.location ?? self.location ?? Location()
            self.location = location
            return .perform(operation, at: location)
        case .transferred(_, let transferred):
            self.transferred = transferred
        case .ended:
            return .over(self.outcome)
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
