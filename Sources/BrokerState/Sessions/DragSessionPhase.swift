import PasteboardWire

/// The phase of a drag session.
///
///     offered ──begin──▶ tracking ──drop──▶ dropping ──performed──▶ transferring
///
/// A session may end in every phase. It ends instead of dropping unless the proposal for its location and items is a
/// copy or a move.
enum DragSessionPhase: Sendable {
    /// Items are committed, and no destination is notified.
    /// → tracking
    case offered
    /// The session is over nothing or over a destination.
    /// → dropping, over
    case tracking(Tracking?)
    /// The drop window is open: the destination may begin loads.
    /// → transferring, over
    case dropping(SessionDrop)
    /// The window is closed; running loads continue, and the destination concludes.
    /// → over
    case transferring(SessionDrop, TransferStage)

    // MARK: The source

    /// A frame of the source, after the session's items.
    enum SourceFrame: CaseIterable, Sendable {
        case begin, move, drop
    }

    /// Handles a frame of the source.
    ///
    /// - Returns: false if the source must not send it now: it moves and drops after `begin`, and waits for the answer
    ///   to its last move before each.
    mutating func accept(_ frame: SourceFrame) -> Bool {
        switch (frame, self) {
        case (.begin, .offered):
            self = .tracking(nil)
            return true
        case (.move, .tracking(let tracking)), (.drop, .tracking(let tracking)):
            return tracking?.awaitedSince == nil
        case (.begin, _), (_, .offered), (_, .dropping), (_, .transferring): return false
        }
    }

    /// Whether the source may add items.
    var isOpen: Bool {
        switch self {
        case .offered, .tracking: true
        case .dropping, .transferring: false
        }
    }

    // MARK: Tracking

    /// The destination that the session is over; nil over nothing, before `begin` and after the drop.
    var tracking: Tracking? {
        guard case .tracking(let tracking) = self else { return nil }
        return tracking
    }

    /// Moves the session to a location in a destination.
    mutating func track(_ tracking: Tracking) {
        if case .tracking = self { self = .tracking(tracking) }
    }

    /// Records the proposal of the destination that the session is over.
    mutating func propose(_ operation: DropOperation) {
        guard var tracking else { return }
        tracking.answer = .proposed(operation)
        self = .tracking(tracking)
    }

    /// Takes the session away from its destination, and returns where it was.
    @discardableResult
    mutating func leave() -> Tracking? {
        guard let tracking else { return nil }
        self = .tracking(nil)
        return tracking
    }

    // MARK: The drop

    var drop: SessionDrop? {
        switch self {
        case .dropping(let drop), .transferring(let drop, _): drop
        case .offered, .tracking: nil
        }
    }

    /// Opens the drop window.
    mutating func open(_ drop: SessionDrop) {
        switch self {
        case .tracking: self = .dropping(drop)
        case .offered, .dropping, .transferring: break
        }
    }

    /// Changes the drop. Its sets are moved out during the change, so that they are not copied.
    mutating func updateDrop(_ change: (inout SessionDrop) -> Void) {
        switch self {
        case .dropping(var drop):
            self = .offered
            change(&drop)
            self = .dropping(drop)
        case .transferring(var drop, let stage):
            self = .offered
            change(&drop)
            self = .transferring(drop, stage)
        case .offered, .tracking: break
        }
    }

    /// Whether a report of the destination adds something. Other reports are not evaluated, because evaluating one
    /// reads all items.
    func accepts(_ report: DestinationReport) -> Bool {
        switch self {
        case .dropping: true
        case .transferring(_, let stage): stage.accepts(report)
        case .offered, .tracking: false
        }
    }

    /// Handles a report that it accepts.
    ///
    /// - Parameter taken: items that the destination took without a load.
    mutating func handle(_ report: DestinationReport, taken: [UInt32], at now: UInt64) {
        guard accepts(report) else { return }
        switch self {
        case .dropping(var drop):
            self = .offered
            drop.windowClosed(at: now)
            drop.took(taken)
            switch report {
            case .performed(let report): self = .transferring(drop, .performed(report))
            case .concluded(let report): self = .transferring(drop, .concluded(report, handler: nil))
            }
        case .transferring(var drop, var stage):
            self = .offered
            drop.took(taken)
            stage.handle(report)
            self = .transferring(drop, stage)
        case .offered, .tracking: break
        }
    }

    /// The name that the status shows.
    var name: String {
        switch self {
        case .offered: "offered"
        case .tracking: "tracking"
        case .dropping: "dropping"
        case .transferring: "transferring"
        }
    }
}
