import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The stream of a destination at the broker. It queues the events of the destination's sessions in order.
///
/// After a lost connection the destination is registered again. Its sessions have ended with the connection.
final class DestinationRequest: StreamSink {
    enum Event: Sendable {
        /// - Parameter visited: the session at the time of the event.
        case session(RemoteDropSession, _ visited: DestinationSession, DestinationSession.Step)
        case lost(PasteboardError)
    }

    private struct State {
        var live: BrokerConnection
        var isRegistered = false
        /// A failure that is to be delivered.
        var failure: Failure?
        var isLost = false
        var isOver = false
    }

    let result = PendingResult<Void>()
    let queue = EventQueue<Event>()
    private let destination: Destination
    private let restoration: Restoration
    private let state: Lock<State>
    /// The sessions that have not ended, by their streams.
    private let arrivals = Lock<[UInt64: RemoteDropSession]>([:])

    init(_ destination: Destination, over live: BrokerConnection, restoration: Restoration) {
        self.destination = destination
        self.restoration = restoration
        state = Lock(State(live: live))
    }

    var isCancelled: Bool { state.withLock { $0.isOver || !$0.isLost && result.isResolved } }

    /// Registers the destination.
    func register() {
        let live = state.withLock { $0.live }
        live.open(self) { client throws(Failure) in try client.open(destination) }
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        switch event {
        case .registered:
            state.withLock { ($0.isRegistered, $0.isLost) = (true, false) }
            restoration.add(self)
        case .ended: failed(Failure(.brokerUnavailable, "the broker has ended the destination"))
        default: break
        }
        return true
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.failure = failure }
    }

    func deliver() {
        let (isRegistered, failure) = state.withLock { ($0.isRegistered, $0.failure.take()) }
        if isRegistered { result.resolve(.success(())) }
        if let failure { failed(PasteboardError(failure)) }
    }

    /// Handles the failure of the registration, or of an attempt to restore it.
    private func failed(_ error: PasteboardError) {
        guard restoration.keeps(self, after: error, over: state.withLock({ $0.live })) else { return giveUp(error) }
        state.withLock { $0.isLost = true }
    }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? {
        let arrived = RemoteDropSession(DestinationSession(stream, session), at: self, over: state.withLock { $0.live })
        arrivals.withLock { $0[stream] = arrived }
        return arrived
    }

    /// Forgets a session that has ended.
    func forget(_ stream: UInt64) {
        _ = arrivals.withLock { $0.removeValue(forKey: stream) }
    }

    /// Ends the registration and abandons its sessions.
    func cancel() {
        let live = state.withLock { state in
            state.isOver = true
            return state.live
        }
        result.resolve(.failure(Call("the registration of the destination").cancelled))
        let left = arrivals.withLock { exchange(&$0, with: [:]).values }
        // The broker ends the sessions with the destination. Without this they would seem to have ended on their own.
        for session in left { session.abandon() }
        live.cancel(self)
        restoration.remove(self)
        for session in left { live.cancel(session) }
        queue.finish(discarding: true)
    }
}

extension DestinationRequest: Restorable {
    func lost(_ failure: Failure) {
        guard restoration.contains(self) else { return failed(failure) }
        state.withLock { $0.isLost = true }
    }

    func restore(over live: BrokerConnection) {
        let registers = state.withLock { state in
            // Once over each connection: the broker may not have answered yet.
            guard state.isLost, state.live !== live else { return false }
            state.live = live
            return true
        }
        if registers { register() }
    }

    func giveUp(_ error: PasteboardError) {
        restoration.remove(self)
        state.withLock { $0.isOver = true }
        queue.append(.lost(error))
        result.resolve(.failure(error))
        queue.wake()
    }
}
