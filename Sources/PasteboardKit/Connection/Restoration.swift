import PasteboardClient
import PasteboardTransport

/// A state of the program at the broker that a connection makes again after it was lost: a publication, a watch, or a
/// destination of drags.
///
/// `StreamSink.lost` records that it was lost.
protocol Restorable: AnyObject, Sendable {
    /// Makes the state again over a new connection. Does nothing unless it was lost. Called without a lock.
    func restore(over live: BrokerConnection)
    /// Ends the state, because it cannot be restored. Called without a lock.
    func giveUp(_ error: PasteboardError)
}

/// The states that a ``PasteboardConnection`` restores.
///
/// It does not refer to the connection. So a connection without other references closes even if it has something to
/// restore, which is then given up.
final class Restoration: Sendable {
    private struct State {
        var states: [ObjectIdentifier: any Restorable] = [:]
        var isClosed = false
    }

    private let state = Lock(State())
    /// A process created by fork must not connect in the place of its parent.
    private let owner = ForkGuard()

    var isEmpty: Bool { state.withLock { $0.states.isEmpty } }

    /// Whether `restorable` is among the states. False after it was given up.
    func contains(_ restorable: any Restorable) -> Bool {
        owner.isInOwner && state.withLock { $0.states[ObjectIdentifier(restorable)] != nil }
    }

    /// Whether a state that has failed is made again over the next connection.
    ///
    /// - Parameter live: the connection over which it has failed, perhaps because the connection has ended.
    func keeps(_ restorable: any Restorable, after error: PasteboardError, over live: BrokerConnection?) -> Bool {
        // A broker that is ending refuses requests before it ends the connection.
        let loss: Loss =
            [.brokerRestarted, .brokerStopped].contains(error.code)
            ? .refused : live?.isOver ?? false ? .crashed : .other
        return Recovery.rule(for: .standing, at: .standing, after: loss) != .fail && contains(restorable)
    }

    /// Adds a state, unless the connection was closed.
    func add(_ restorable: any Restorable) {
        state.withLock { state in
            if !state.isClosed { state.states[ObjectIdentifier(restorable)] = restorable }
        }
    }

    func remove(_ restorable: any Restorable) {
        // Released after unlocking.
        let removed = state.withLock { $0.states.removeValue(forKey: ObjectIdentifier(restorable)) }
        withExtendedLifetime(removed) {}
    }

    /// Makes all lost states again over a new connection.
    func restore(over live: BrokerConnection) {
        for restorable in state.withLock({ Array($0.states.values) }) { restorable.restore(over: live) }
        // The items of all writes precede later requests.
        live.tell { _ in }
    }

    /// Ends all states.
    func giveUp(_ error: PasteboardError) {
        for restorable in state.withLock({ exchange(&$0.states, with: [:]) }).values { restorable.giveUp(error) }
    }

    /// Ends all states, and accepts no others.
    func close(_ error: PasteboardError) {
        state.withLock { $0.isClosed = true }
        giveUp(error)
    }
}
