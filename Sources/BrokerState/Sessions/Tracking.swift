import PasteboardWire

/// The pointer of a drag session over a destination, and the destination's proposal there.
///
///     stale ──ask──▶ asked ──proposal──▶ current ──pointer update, items added──▶ stale
///                      └──pointer update, items added──▶ outdated ──proposal──▶ stale
struct Tracking: Sendable {
    let destinationSession: DestinationSessionID
    private(set) var location: Location
    private(set) var proposed: Proposed
    /// The last operation that was proposed, valid or not. The status shows it.
    private(set) var operation: DropOperation?

    enum Proposed: Sendable, Equatable {
        /// The destination has to be asked; the source has waited for the answer since the given time. A question about
        /// an earlier location may still be pending, and there is never more than one.
        /// → asked
        case stale(since: UInt64)
        /// The destination is asked about the current location and items.
        /// → current, outdated
        case asked(Question)
        /// The pointer has moved, or items were added, since the question was sent.
        /// → stale
        case outdated(Question)
        /// The proposal holds.
        /// → stale
        case current(DropOperation)
    }

    /// A question to a destination: its number, and the pointer update and items that it is about.
    struct Question: Sendable, Equatable {
        let sequence: UInt64
        /// The number of the source's pointer update, which the proposal for the source repeats.
        let pointerUpdate: UInt64
        let version: UInt64
        let askedAt: UInt64
    }

    init(_ destinationSession: DestinationSessionID, at location: Location, since now: UInt64) {
        self.destinationSession = destinationSession
        self.location = location
        proposed = .stale(since: now)
    }

    /// The time since which the source waits for a proposal; nil if the proposal holds.
    var awaitedSince: UInt64? {
        switch proposed {
        case .stale(let since): since
        case .asked(let question), .outdated(let question): question.askedAt
        case .current: nil
        }
    }

    var isAwaiting: Bool { awaitedSince != nil }

    /// Whether the destination has to be asked, now or after it has answered an older question.
    var needsQuestion: Bool {
        switch proposed {
        case .stale, .outdated: true
        case .asked, .current: false
        }
    }

    /// The proposal that counts; nil while it is awaited.
    var decision: DropOperation? {
        guard case .current(let operation) = proposed else { return nil }
        return operation
    }

    mutating func move(to location: Location, at now: UInt64) {
        self.location = location
        invalidate(at: now)
    }

    /// Invalidates the proposal: the pointer has moved, or items were added.
    mutating func invalidate(at now: UInt64) {
        switch proposed {
        case .stale, .outdated: break
        case .asked(let question): proposed = .outdated(question)
        case .current: proposed = .stale(since: now)
        }
    }

    mutating func ask(_ question: Question) { proposed = .asked(question) }

    /// The question that an answer is for; nil if the answer is to an older one, which was about another location.
    func question(_ sequence: UInt64) -> Question? {
        switch proposed {
        case .asked(let question) where question.sequence == sequence,
            .outdated(let question) where question.sequence == sequence:
            question
        case .stale, .asked, .outdated, .current: nil
        }
    }

    /// Handles the answer to the question that was asked.
    ///
    /// - Parameter operation: nil if the destination declines the items.
    mutating func answered(_ operation: DropOperation?) {
        if let operation { self.operation = operation }
        switch proposed {
        case .asked(let question):
            proposed = operation.map(Proposed.current) ?? .stale(since: question.askedAt)
        case .outdated(let question): proposed = .stale(since: question.askedAt)
        case .stale, .current: break
        }
    }
}
