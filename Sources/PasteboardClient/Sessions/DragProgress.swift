package import PasteboardWire

/// What its source knows of a drag session: everything that the broker has said on its stream, folded into one value.
package struct DragProgress: Sendable {
    package enum Outcome: Sendable {
        /// Nothing was transferred.
        case cancelled
        /// The destination has everything: what was moved may be deleted.
        case transferred(DropOperation)
        case failed(Failure)
    }

    /// The publication that the items are; it names the session. Known once it was committed.
    package private(set) var handle: UInt64?
    /// How often items were given. Those of additions are told on streams of their own.
    package private(set) var version: UInt64 = 0
    /// What a drop would do now: the destination's answer to the last move that was answered, or the broker's.
    package private(set) var proposal: Proposal?
    /// What the drop does, once it was dropped.
    package private(set) var dropped: DropOperation?
    /// What became of it, once its stream is over.
    package private(set) var outcome: Outcome?
    /// What the destination has, by the place in the session. After a failed move: what may be deleted all the same.
    package private(set) var transferredItems: [Int] = []
    private var transferFailure: Failure?
    private var isTransferred = false

    package init() {}

    /// Whether the proposal that it holds answers the move of this sequence.
    package func hasAnswered(_ sequence: UInt64) -> Bool {
        self.proposal.map { $0.sequence ?? 0 >= sequence } ?? false
    }

    /// Takes what has come on the session's stream.
    package mutating func take(_ event: ClientEvent) {
        // What comes late, for a session that its source has withdrawn, says nothing any more.
        guard self.outcome == nil else { return }
        switch event {
        case .committed(_, let committed):
            self.handle = committed.handle
            self.version = committed.changeCount ?? 1
        case .proposed(_, let proposal):
            guard !self.hasAnswered((proposal.sequence ?? 0).addingClamped(1)) else { return }
            self.proposal = proposal
        case .exited(_, let exit):
            // It is over nothing now, whatever was proposed. The number stays, so that nothing older comes up again.
            var nothing = Proposal()
            nothing.sequence = self.proposal?.sequence
            nothing.operation = .cancel
            nothing.refusal = exit.refusal
            self.proposal = nothing
        case .dropped(_, let dropped):
            self.dropped = dropped.operation ?? .absent
        case .transferred(_, let transferred):
            self.isTransferred = true
            self.transferFailure = transferred.failure
            self.transferredItems = transferred.items.map { Int($0) }
        case .ended:
            self.end(nil)
        case .failed(_, let failure):
            self.end(failure)
        default:
            break
        }
    }

    /// The session is over on this side: the broker has ended it, the source has, or the connection was lost.
    package mutating func end(_ failure: Failure?) {
        guard self.outcome == nil else { return }
        if let failure = self.transferFailure ?? (self.isTransferred ? nil : failure) {
            self.outcome = .failed(failure)
        } else if self.isTransferred, let operation = self.dropped, operation.transfers {
            self.outcome = .transferred(operation)
        } else {
            self.outcome = .cancelled
        }
    }

    /// The source has withdrawn the session: nothing of it can be relied on to have been transferred.
    package mutating func cancel() {
        guard self.outcome == nil else { return }
        self.outcome = .cancelled
        self.transferredItems = []
    }
}
