/// Where a session is, as the receiver of its destination knows it.
enum ReceivedPhase: Equatable {
    /// Not at the destination. The receiver knows the session if it has proposed something for it before.
    case outside(isKnown: Bool)
    /// The receiver has proposed something since the session entered.
    case inside
    /// The receiver performs the drop. Its end waits until that has returned.
    case performing(isOver: Bool)

    static let first = ReceivedPhase.outside(isKnown: false)

    /// Whether the receiver is to be told of the end.
    var isKnown: Bool { self != .outside(isKnown: false) }

    /// Records that the receiver has made a proposal.
    mutating func enter() {
        if case .outside = self { self = .inside }
    }

    /// - Returns: whether the session was inside.
    mutating func leave() -> Bool {
        guard self == .inside else { return false }
        self = .outside(isKnown: true)
        return true
    }

    /// - Returns: false if the receiver does not expect a drop.
    mutating func beginPerforming() -> Bool {
        guard self == .inside else { return false }
        self = .performing(isOver: false)
        return true
    }

    /// - Returns: whether the session has ended meanwhile.
    mutating func endPerforming() -> Bool {
        defer { self = .outside(isKnown: true) }
        return self == .performing(isOver: true)
    }

    /// Records the end of the session.
    ///
    /// - Returns: whether the receiver can be told now.
    mutating func end() -> Bool {
        guard case .performing = self else { return true }
        self = .performing(isOver: true)
        return false
    }
}
