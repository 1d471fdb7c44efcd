package import PasteboardWire

/// A source's view of its drag session: all messages of the broker on the session's stream, combined into one value.
package struct DragProgress: Sendable {
    package enum Outcome: Sendable {
        /// Nothing was transferred.
        case cancelled
        /// The destination has everything, so the source may delete the items of a move.
        case transferred(DropOperation)
        case failed(Failure)
    }

    /// The handle of the publication with the items. It identifies the session, and is known after the first commit.
    package private(set) var handle: UInt64?
    /// The number of times that items were committed. Each addition is committed on its own stream.
    package private(set) var version: UInt64 = 0
    /// The effect of a drop now: the destination's answer to the latest move that was answered, or the broker's.
    package private(set) var proposal: Proposal?
    /// The operation of the drop; nil before it.
    package private(set) var dropped: DropOperation?
    /// The result of the session; nil before its stream ends.
    package private(set) var outcome: Outcome?
    /// The items that the destination has, by their index in the session. After a failed move the source may delete
    /// these.
    package private(set) var transferredItems: [Int] = []
    private var transferFailure: Failure?
    private var isTransferred = false

    package init() {}

    /// Whether the current proposal answers the move of this sequence.
    package func hasAnswered(_ sequence: UInt64) -> Bool {
        proposal.map { $0.sequence ?? 0 >= sequence } ?? false
    }

    /// Handles an event of the session's stream.
    package mutating func handle(_ event: ClientEvent) {
        // The source has withdrawn the session, so late events have no effect.
        guard outcome == nil else { return }
        switch event {
        case .committed(_, let committed):
            handle = committed.handle
            version = committed.changeCount ?? 1
        case .proposed(_, let proposal):
            guard !hasAnswered((proposal.sequence ?? 0).addingClamped(1)) else { return }
            self.proposal = proposal
        case .exited(_, let exit):
            // The session has no destination now, so earlier proposals are void. The sequence stays, so that no older
            // proposal replaces this one.
            var nothing = Proposal()
            nothing.sequence = self.proposal?.sequence
            nothing.operation = .cancel
            nothing.refusal = exit.refusal
            self.proposal = nothing
        case .dropped(_, let dropped):
            self.dropped = dropped.operation ?? .absent
        case .transferred(_, let transferred):
            isTransferred = true
            transferFailure = transferred.failure
            transferredItems = transferred.items.map { Int($0) }
        case .ended:
            end(nil)
        case .failed(_, let failure):
            end(failure)
        default:
            break
        }
    }

    /// Ends the session on this side: the broker or the source has ended it, or the connection was lost.
    package mutating func end(_ failure: Failure?) {
        guard outcome == nil else { return }
        if let failure = transferFailure ?? (isTransferred ? nil : failure) {
            outcome = .failed(failure)
        } else if isTransferred, let operation = dropped, operation.transfers {
            outcome = .transferred(operation)
        } else {
            outcome = .cancelled
        }
    }

    /// Ends a session that the source has withdrawn: no transfer can be relied on.
    package mutating func cancel() {
        guard outcome == nil else { return }
        outcome = .cancelled
        transferredItems = []
    }
}
