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
    /// The session is elsewhere. A destination that owes an answer has not answered in time, and is not asked again
    /// before it has.
    /// → inside
    case outside(owes: UInt64?)
    /// The destination was last notified that the session is over it, and owes the answer to the question of this
    /// number.
    /// → outside, performing
    case inside(owes: UInt64?)
    /// The session was dropped here, and nothing is pending.
    /// → over
    case performing

    /// The number of the question that the destination has not answered. It answers also after the session has left it.
    var pending: UInt64? {
        switch self {
        case .outside(let owes), .inside(let owes): owes
        case .unannounced, .performing: nil
        }
    }

    /// Whether the destination's stream of the session is open.
    var isOpen: Bool { self != .unannounced }

    var isInside: Bool {
        if case .inside = self { true } else { false }
    }

    // MARK: Events

    /// Asks the destination, unless an answer is pending.
    mutating func ask(_ sequence: UInt64) {
        if pending == nil, self != .performing { self = .inside(owes: sequence) }
    }

    /// Handles an answer.
    ///
    /// - Parameter declines: whether the destination takes none of the items, so that it is left at once.
    /// - Returns: false if no such answer is pending, because it has arrived before.
    mutating func answered(_ sequence: UInt64, declines: Bool) -> Bool {
        guard pending == sequence else { return false }
        self = isInside && !declines ? .inside(owes: nil) : .outside(owes: nil)
        return true
    }

    /// The session has left the destination.
    ///
    /// - Returns: whether the destination has to be notified, because it was notified that the session is inside.
    mutating func leave() -> Bool {
        guard case .inside(let owes) = self else { return false }
        self = .outside(owes: owes)
        return true
    }

    /// The destination itself has left the session, which also answers a pending question.
    mutating func exit() {
        switch self {
        case .outside, .inside: self = .outside(owes: nil)
        case .unannounced, .performing: break
        }
    }

    /// The session is dropped here.
    mutating func perform() {
        if isInside { self = .performing }
    }
}
