import PasteboardWire

/// The phase of a drag session.
///
///     offered ──begin──▶ tracking ──drop──▶ awaitingProposal ──proposal──▶ dropping ──performed──▶ transferring
///                            └────drop, and the proposal holds───────────────▲
///
/// A session may end in every phase. It ends instead of dropping if the proposal that counts is not a copy or a move.
enum DragSessionPhase: Sendable {
    /// Items are committed, and no destination is notified.
    /// → tracking
    case offered
    /// The source moves the pointer, which is over nothing or over a destination.
    /// → awaitingProposal, dropping, over
    case tracking(Tracking?)
    /// The source has dropped, and the proposal that counts is awaited. If the destination is lost, the drop is decided
    /// as one over nothing.
    /// → dropping, over
    case awaitingProposal(Tracking)
    /// The drop window is open: the destination may begin loads.
    /// → transferring, over
    case dropping(SessionDrop)
    /// The window is closed; running loads continue, and the destination concludes.
    /// → over
    case transferring(SessionDrop, TransferStage)

    // MARK: The source

    /// A frame of the source, after the session's items.
    enum SourceFrame: CaseIterable, Sendable {
        case begin, pointerUpdate, drop
    }

    enum SourceFrameOutcome: Sendable {
        /// The session tracks its source's pointer from now on.
        case began
        /// The pointer update counts.
        case tracks
        /// The source has dropped before the destination has proposed.
        case awaitsProposal
        /// The source has dropped, over nothing or over a destination whose proposal is known.
        case decides
        case isViolation
    }

    mutating func handle(_ frame: SourceFrame) -> SourceFrameOutcome {
        switch (frame, self) {
        case (.begin, .offered):
            self = .tracking(nil)
            return .began
        case (.pointerUpdate, .tracking): return .tracks
        case (.drop, .tracking(let tracking)):
            guard let tracking, tracking.isAwaiting else { return .decides }
            self = .awaitingProposal(tracking)
            return .awaitsProposal
        case (.begin, .tracking), (_, .awaitingProposal), (_, .dropping), (_, .transferring),
            (.pointerUpdate, .offered), (.drop, .offered):
            return .isViolation
        }
    }

    /// Whether the source may add items and wait for destinations.
    var isOpen: Bool {
        switch self {
        case .offered, .tracking: true
        case .awaitingProposal, .dropping, .transferring: false
        }
    }

    // MARK: Tracking

    /// The destination that the pointer is over; nil over nothing, before `begin` and after the drop.
    var tracking: Tracking? {
        switch self {
        case .tracking(let tracking): tracking
        case .awaitingProposal(let tracking): tracking
        case .offered, .dropping, .transferring: nil
        }
    }

    /// Whether the source has dropped and the proposal that counts is awaited.
    var isAwaitingProposal: Bool {
        if case .awaitingProposal = self { true } else { false }
    }

    /// Whether a pointer update counts, or a destination may enter by itself.
    var acceptsPointer: Bool {
        if case .tracking = self { true } else { false }
    }

    /// Moves the pointer to a location in a destination, whose proposal is not known for this location yet.
    mutating func track(_ destinationSession: DestinationSessionID, at location: Location, now: UInt64) {
        guard case .tracking(let old) = self else { return }
        if var old, old.destinationSession == destinationSession {
            old.move(to: location, at: now)
            self = .tracking(old)
        } else {
            self = .tracking(Tracking(destinationSession, at: location, since: now))
        }
    }

    /// Changes the state of the destination that the pointer is over.
    mutating func updateTracking(_ change: (inout Tracking) -> Void) {
        switch self {
        case .tracking(var tracking?):
            change(&tracking)
            self = .tracking(tracking)
        case .awaitingProposal(var tracking):
            change(&tracking)
            self = .awaitingProposal(tracking)
        case .offered, .tracking(nil), .dropping, .transferring: break
        }
    }

    /// The effect of taking the pointer away from its destination.
    enum Departure: Sendable {
        /// The pointer was over nothing.
        case nothing
        /// The source may move it elsewhere.
        case left(Tracking)
        /// The source has dropped already: the drop is decided now, and does nothing.
        case decides(Tracking)
    }

    /// Takes the pointer away from its destination.
    mutating func leave() -> Departure {
        switch self {
        case .tracking(let tracking?):
            self = .tracking(nil)
            return .left(tracking)
        case .awaitingProposal(let tracking):
            self = .tracking(nil)
            return .decides(tracking)
        case .offered, .tracking(nil), .dropping, .transferring: return .nothing
        }
    }

    // MARK: The drop

    var drop: SessionDrop? {
        switch self {
        case .dropping(let drop), .transferring(let drop, _): drop
        case .offered, .tracking, .awaitingProposal: nil
        }
    }

    /// Opens the drop window.
    mutating func open(_ drop: SessionDrop) {
        switch self {
        case .tracking, .awaitingProposal: self = .dropping(drop)
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
        case .offered, .tracking, .awaitingProposal: break
        }
    }

    /// Whether a report of the destination adds something. Other reports are not evaluated, because evaluating one
    /// reads all items.
    func accepts(_ report: DestinationReport) -> Bool {
        switch self {
        case .dropping: true
        case .transferring(_, let stage): stage.accepts(report)
        case .offered, .tracking, .awaitingProposal: false
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
        case .offered, .tracking, .awaitingProposal: break
        }
    }

    /// The name that the status shows.
    var name: String {
        switch self {
        case .offered: "offered"
        case .tracking, .awaitingProposal: "tracking"
        case .dropping: "dropping"
        case .transferring: "transferring"
        }
    }
}
