import PasteboardWire

/// The moves of a drag session, as its source sends them. Each is a question to a destination, so the source sends one
/// at a time. After the answer it sends the last of the moves that were made meanwhile, and after all moves the drop.
///
///     quiet ──move──▶ asked ──answer──▶ quiet, asked
struct DragQuestions: Sendable {
    enum Step: Sendable {
        case none
        case move(Move)
        case drop
    }

    /// Whether a move was sent that is not answered.
    private(set) var isAsked = false
    /// The move to send after the answer.
    private var waiting: Move?
    /// Whether the session is to be dropped after all moves.
    private(set) var isDropped = false

    /// Records a move.
    ///
    /// - Returns: what is to be sent now.
    mutating func move(_ move: Move) -> Step {
        guard !isDropped else { return .none }
        waiting = move
        return next()
    }

    /// Records the drop.
    mutating func drop() -> Step {
        guard !isDropped else { return .none }
        isDropped = true
        return next()
    }

    /// Records the answer to the move that was sent.
    mutating func answered() -> Step {
        isAsked = false
        return next()
    }

    private mutating func next() -> Step {
        guard !isAsked else { return .none }
        if let move = waiting.take() {
            isAsked = true
            return .move(move)
        }
        return isDropped ? .drop : .none
    }
}
