import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A destination, and the events of its sessions in order.
///
/// After a lost connection the destination is registered again. Its sessions have ended with the connection.
final class StandingDestination: Sendable {
    enum Event: Sendable {
        /// - Parameter visited: the session at the time of the event.
        case session(RemoteDropSession, _ visited: DestinationSession, DestinationSession.Step)
        case lost(PasteboardError)
    }

    /// Resolved when a broker has registered the destination for the first time, or with the reason why none does.
    let result = PendingResult<Void>()
    let queue = EventQueue<Event>()
    private let destination: Destination
    private let standing = CancellableTask()
    private let state = Lock(State())

    private struct State {
        /// The present registration.
        var stream: StreamReference?
        /// The sessions that have not ended, by their streams.
        var sessions: [UInt64: RemoteDropSession] = [:]
        var isCancelled = false
    }

    init(_ destination: Destination) {
        self.destination = destination
    }

    /// Registers the destination at a broker, and at each later one.
    func register(at brokers: Brokers) {
        standing.adopt(
            Task.detached(executorPreference: ThreadPool.calls) {
                do {
                    try await brokers.standing(Recovery(.standing, survivesStop: true)) { connection, stands in
                        var stream = connection.open(self.destination) { stream, session in
                            self.sessionArrived(stream, session, over: connection)
                        }
                        try self.begin(stream.shared)
                        try await stream.registered()
                        stands()
                        self.result.resolve(.success(()))
                        // The sessions have sinks, so this waits for the end.
                        while true { _ = try await stream.nextSession() }
                    }
                } catch {
                    let error = PasteboardError(error as? Failure ?? Failure(.cancelled, "\(error)"))
                    self.queue.append(.lost(error))
                    self.result.resolve(.failure(error))
                    self.queue.wake()
                }
            }
        )
    }

    /// Records the stream for `cancel`; throws if that was called before.
    private func begin(_ stream: StreamReference) throws(CancellationError) {
        let isCancelled = state.withLock { state in
            state.stream = stream
            return state.isCancelled
        }
        if isCancelled { throw CancellationError() }
    }

    private func sessionArrived(
        _ stream: UInt64,
        _ session: Session,
        over connection: BrokerConnection
    ) -> any StreamSink {
        let arrived = RemoteDropSession(DestinationSession(stream, session), at: self, over: connection)
        state.withLock { $0.sessions[stream] = arrived }
        return arrived
    }

    /// Forgets a session that has ended.
    func forget(_ stream: UInt64) {
        _ = state.withLock { $0.sessions.removeValue(forKey: stream) }
    }

    /// Ends the registration and abandons its sessions.
    func cancel() {
        let (stream, left) = state.withLock { state in
            state.isCancelled = true
            return (state.stream.take(), exchange(&state.sessions, with: [:]).values)
        }
        result.resolve(.failure(Call("the registration of the destination").cancelled))
        // The broker ends the sessions with the destination. Without this they would seem to have ended on their own.
        for session in left { session.abandon() }
        queue.finish(discarding: true)
        standing.cancel()
        stream?.cancel()
        for session in left { stream?.connection.cancel(session) }
    }
}
