/// The phase of a drag session at one destination.
///
///     unannounced ──ask──▶ inside ──perform──▶ performing
///                           │  ▲
///               leave, exit ▼  │ ask
///                          outside
///
/// A destination session may end in every phase. At most one question is pending at a time.
enum DestinationSessionPhase: Sendable, Equatable {
    /// The destination is not notified of the session, and its stream is not open.
    /// → inside
    case unannounced
    /// The pointer is elsewhere.
    /// → inside
    case outside(PendingAnswer)
    /// The destination was last notified that the pointer is over it.
    /// → outside, performing
    case inside(PendingAnswer)
    /// The session was dropped here, and nothing is pending.
    /// → over
    case performing

    /// The answer that a destination owes. It answers also after the pointer has left it.
    enum PendingAnswer: Sendable, Equatable {
        case nothing
        /// The answer to the question of this number.
        case answer(UInt64)
        /// The same, after its deadline. Until it arrives, the destination gets no other session. Only while outside.
        case late(UInt64)

        var sequence: UInt64? {
            switch self {
            case .nothing: nil
            case .answer(let sequence), .late(let sequence): sequence
            }
        }
    }

    var pending: PendingAnswer {
        switch self {
        case .outside(let pending), .inside(let pending): pending
        case .unannounced, .performing: .nothing
        }
    }

    /// Whether the destination's stream of the session is open.
    var isOpen: Bool { self != .unannounced }

    var isInside: Bool {
        if case .inside = self { true } else { false }
    }

    var isLate: Bool {
        if case .late = pending { true } else { false }
    }

    // MARK: Events

    enum Question: Sendable {
        /// The destination is asked with `enter`: the pointer was not over it.
        case enter
        /// The destination is asked with `update`.
        case update
    }

    /// Asks the destination; nil if an answer is pending, after which the destination is asked again.
    mutating func ask(_ sequence: UInt64) -> Question? {
        switch self {
        case .unannounced, .outside(.nothing):
            self = .inside(.answer(sequence))
            return .enter
        case .inside(.nothing):
            self = .inside(.answer(sequence))
            return .update
        case .outside, .inside, .performing: return nil
        }
    }

    /// Handles an answer.
    ///
    /// - Parameter declines: whether the destination takes none of the items, so that it is left at once.
    /// - Returns: false if no such answer is pending, because it has arrived before.
    mutating func answered(_ sequence: UInt64, declines: Bool) -> Bool {
        guard pending.sequence == sequence else { return false }
        self = isInside && !declines ? .inside(.nothing) : .outside(.nothing)
        return true
    }

    /// The pointer has left the destination.
    ///
    /// - Returns: whether the destination has to be notified, because it was notified that the pointer is inside.
    mutating func leave() -> Bool {
        guard case .inside(let pending) = self else { return false }
        self = .outside(pending)
        return true
    }

    /// The destination itself has left the session, which also answers a pending question.
    mutating func exit() {
        switch self {
        case .outside, .inside: self = .outside(.nothing)
        case .unannounced, .performing: break
        }
    }

    /// The pending answer has missed its deadline.
    ///
    /// - Returns: whether the destination has to be notified that the pointer has left it.
    mutating func missDeadline() -> Bool {
        switch self {
        case .inside(.answer(let sequence)):
            self = .outside(.late(sequence))
            return true
        case .outside(.answer(let sequence)):
            self = .outside(.late(sequence))
            return false
        case .unannounced, .outside, .inside, .performing: return false
        }
    }

    /// The session is dropped here.
    mutating func perform() {
        guard case .inside = self else { return }
        self = .performing
    }
}
