import PasteboardWire

package typealias SessionID = SlotTable<DragSession>.ID

/// One drag session, from the commit of its items to its end. Its `phase` is documented at ``DragSessionPhase``.
package struct DragSession: ~Copyable, Sendable {
    let source: PeerID
    let process: ProcessKey
    let account: Accounting.AccountID
    /// The source's stream, which is open as long as the session exists.
    let stream: UInt64
    let publication: PublicationID
    let allowsMove: Bool
    /// Whether only destinations in the source's process may receive it.
    let isRestricted: Bool
    let movesBetweenProcesses: Bool
    let startedAt: UInt64
    /// The time of the last event, for the limit `session-idle`.
    var activeAt: UInt64
    /// The number of times that items were committed.
    var version: UInt64 = 1
    var phase = DragSessionPhase.offered
    /// Its destination sessions that are not over. After the drop only that of the drop.
    var destinationSessions: [DestinationID: DestinationSessionID] = [:]
    /// The number of the source's last pointer update, which a proposal repeats.
    var lastPointerUpdate: UInt64 = 0
    /// The location to which the source has directed the session, if its destination has declined the items. The
    /// destination is asked again when items are added.
    var declinedLocation: Location?
    /// Whether the source has directed the session to its location. False if a destination has entered by itself.
    var isDirected = true
    /// The number of the source's waits for destinations of this session.
    var waits = 0
    /// The number of times that a destination has entered by itself.
    var selfEntries: UInt64 = 0

    /// Whether a destination in a process may move the items.
    func allowsMove(by process: ProcessKey) -> Bool {
        allowsMove && (movesBetweenProcesses || process == self.process)
    }

    /// Whether the status shows it to other processes.
    var isVisible: Bool {
        if case .offered = phase { false } else { !isRestricted }
    }

    /// Whether destinations in a process may receive it.
    func isAvailable(to process: ProcessKey) -> Bool { !isRestricted || process == self.process }

    /// Sends the source a message on the session's stream.
    func send(_ message: some WireMessage, _ context: inout BrokerContext) {
        context.send(message, to: source, stream: stream)
    }

    /// The time at which the session exceeds a limit, unless an event extends it before.
    func deadline(_ limits: BrokerLimits) -> UInt64 {
        switch phase {
        case .dropping(let drop): return drop.deadline(isWindowOpen: true, limits)
        case .transferring(let drop, _): return drop.deadline(isWindowOpen: false, limits)
        case .offered, .tracking, .awaitingProposal: break
        }
        let end = startedAt.addingClamped(limits.session)
        // A session that waits for a destination is not idle.
        let deadline = waits > 0 ? end : min(end, activeAt.addingClamped(limits.sessionIdle))
        guard let since = phase.tracking?.awaitedSince else { return deadline }
        return min(deadline, since.addingClamped(limits.proposal))
    }
}
