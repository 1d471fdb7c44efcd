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
    /// The number of times that items were committed.
    var version: UInt64 = 1
    var phase = DragSessionPhase.offered
    /// Its destination sessions that are not over. After the drop only that of the drop.
    var destinationSessions: [DestinationID: DestinationSessionID] = [:]

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
        case .offered, .tracking: break
        }
        let end = startedAt.addingClamped(limits.session)
        guard let since = phase.tracking?.awaitedSince else { return end }
        return min(end, since.addingClamped(limits.proposal))
    }
}
