import PasteboardWire

/// A stream that this client has opened and whose end has not come.
struct OpenStream: Sendable {
    enum Phase: Sendable {
        case load
        /// Items and kept bytes are being sent.
        case write
        /// Commit has been sent.
        case committing
        /// Committed: the stream is the publication's life.
        case publication
        case list
        /// Contents have come; so many items.
        case listing(items: Int)
        case clear
        /// `committed` has come, and only the end is to follow.
        case changed
        case status
        case stop
        /// Items of a new drag session, or of an addition to one, are being sent.
        case drag(isAddition: Bool)
        /// Commit has been sent.
        case offering
        case adding
        /// Committed: the stream is the session's life.
        case session
        case destination
        case wait
        /// Asked only to learn that the broker still answers; nobody hears of it.
        case probe
    }

    var phase: Phase
    /// Whether the broker owes nothing on it: it stands for as long as what it is the life of.
    var isStanding = false
    /// What the program knows the stream by. A load that had to wait has another id on the wire.
    var programStream: UInt64 = 0

    // Of a load.
    var isAnswered = false
    var descriptorWelcome = false
    var received: UInt64 = 0
    var consumed: UInt64 = 0
    /// What the broker may send, from the start.
    var granted: UInt64 = 0
    /// How far ahead of what was consumed that is.
    var window: UInt64 = 0
    var maximum = UInt64.max
    var declared: UInt64?

    // Of a drag session.
    var lastMove: UInt64 = 0
    var lastProposal: UInt64 = 0
    /// Whether this client has let go.
    var isDropped = false
    /// What that does, once the broker has said so.
    var operation: DropOperation?
    var isTransferred = false
}

/// A stream that the broker has opened: bytes that this client promised are wanted.
struct OpenAsk: Sendable {
    var credit: UInt64 = 0
    var sent: UInt64 = 0
    var descriptorWelcome = false
    var inPlaceWelcome = false

    /// How many bytes may be sent now.
    var sendable: Int { Int(clamping: self.credit - min(self.credit, self.sent)) }
}

/// A stream that the broker has opened: a drag session has come to a destination of this client's.
struct OpenDestinationSession: Sendable {
    /// The publication that its items are.
    var handle: UInt64 = 0
    /// What is to be said once no load of it waits for its turn any more.
    var performed: Performed?
    var items = 0
    var isDropped = false
}
