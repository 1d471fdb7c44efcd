import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A destination, and the events of its sessions in order.
///
/// After a lost connection the destination is registered again. Its sessions have ended with the connection.
final class DestinationRequest: Sendable {
    enum Event: Sendable {
        /// - Parameter visited: the session at the time of the event.
        case session(RemoteDropSession, _ visited: DestinationSession, DestinationSession.Step)
        case lost(PasteboardError)
    }

    /// Resolved when a broker has registered the destination for the first time, or with the reason why none does.
    let result = PendingResult<Void>()
    let queue = EventQueue<Event>()
    private let destination: Destination
    /// The task that registers, and waits for the loss.
    private let standing = HandlerTask()
    /// The present registration.
    private let sink = Lock<DestinationSink?>(nil)
    /// The sessions that have not ended, by their streams.
    private let arrivals = Lock<[UInt64: RemoteDropSession]>([:])
    private let isCancelled = Lock(false)

    init(_ destination: Destination) {
        self.destination = destination
    }

    /// Registers the destination at a broker, and at each later one.
    func register(at brokers: Brokers) {
        standing.adopt(
            Task.detached(executorPreference: ThreadPool.calls) {
                do {
                    try await brokers.standing(Recovery(.standing, survivesStop: true)) { connection, stands in
                        let sink = DestinationSink(of: self, over: connection)
                        self.sink.withLock { $0 = sink }
                        // Also if the registration is cancelled while the stream is opened.
                        defer { connection.cancel(sink) }
                        try await sink.register(self.destination)
                        stands()
                        self.result.resolve(.success(()))
                        throw await sink.loss()
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

    fileprivate var isOver: Bool { isCancelled.withLock(\.self) }

    fileprivate func sessionArrived(
        _ stream: UInt64,
        _ session: Session,
        over connection: BrokerConnection
    ) -> any StreamSink {
        let arrived = RemoteDropSession(DestinationSession(stream, session), at: self, over: connection)
        arrivals.withLock { $0[stream] = arrived }
        return arrived
    }

    /// Forgets a session that has ended.
    func forget(_ stream: UInt64) {
        _ = arrivals.withLock { $0.removeValue(forKey: stream) }
    }

    /// Ends the registration and abandons its sessions.
    func cancel() {
        isCancelled.withLock { $0 = true }
        result.resolve(.failure(Call("the registration of the destination").cancelled))
        let left = arrivals.withLock { exchange(&$0, with: [:]).values }
        // The broker ends the sessions with the destination. Without this they would seem to have ended on their own.
        for session in left { session.abandon() }
        queue.finish(discarding: true)
        standing.cancel()
        guard let sink = sink.withLock({ $0.take() }) else { return }
        sink.connection.cancel(sink)
        for session in left { sink.connection.cancel(session) }
    }
}

/// Receives the events of the registration at one broker.
private final class DestinationSink: StreamSink {
    let connection: BrokerConnection
    private let destination: DestinationRequest
    private let begun = PendingResult<Void>()
    private let lost = PendingResult<RequestFailure>()
    private let state = Lock((isRegistered: false, failure: RequestFailure?.none))

    init(of destination: DestinationRequest, over connection: BrokerConnection) {
        self.destination = destination
        self.connection = connection
    }

    var isCancelled: Bool { destination.isOver }

    func register(_ destination: Destination) async throws(RequestFailure) {
        connection.open(self) { client throws(Failure) in try client.open(destination) }
        if (try? await begun.value(onCancel: { begun.resolve(.failure(.cancelled)) })) == nil { throw await loss() }
    }

    /// Waits for the end of the registration.
    func loss() async -> RequestFailure {
        let cancelled = RequestFailure(Failure(.cancelled, "the registration was cancelled"), .other, at: .standing)
        return (try? await lost.value(onCancel: { lost.resolve(.success(cancelled)) })) ?? cancelled
    }

    func handle(_ event: ClientEvent, in _: Span<UInt8>, of _: ReadMemory?, _: inout ClientState) -> Bool {
        switch event {
        case .registered: state.withLock { $0.isRegistered = true }
        case .ended: failed(Failure(.brokerUnavailable, "the broker has ended the destination"))
        default: break
        }
        return true
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.failure = RequestFailure(failure, Loss(failure), at: .standing) }
    }

    func lost(_ failure: Failure, _ loss: Loss) {
        state.withLock { $0.failure = RequestFailure(failure, loss, at: .standing) }
    }

    func deliver() {
        let (isRegistered, failure) = state.withLock { ($0.isRegistered, $0.failure) }
        if isRegistered { begun.resolve(.success(())) }
        guard let failure else { return }
        lost.resolve(.success(failure))
        begun.resolve(.failure(PasteboardError(failure.failure)))
    }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? {
        destination.sessionArrived(stream, session, over: connection)
    }
}
