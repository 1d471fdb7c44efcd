import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The stream of a destination at the broker. It queues the events of the destination's sessions in order.
final class DestinationRequest: StreamSink {
    enum Event: Sendable {
        case session(DestinationSession, DestinationSession.Step, DropWindow)
        case lost(Failure)
    }

    let result = PendingResult<Void>()
    let queue = EventQueue<Event>()
    private let arrivals = Lock<[UInt64: ArrivedSession]>([:])

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .registered: effects.append(.deliver(.finished, to: self))
        case .ended: failed(Failure(.brokerUnavailable, "the broker has ended the destination"), &effects)
        default: break
        }
    }

    func failed(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        queue.append(.lost(failure))
        effects.append(.deliver(.failed(failure), to: self))
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .finished:
            result.resolve(.success(()))
        case .failed(let failure):
            result.resolve(.failure(PasteboardError(failure)))
            queue.wake()
        case .changed, .answered, .progress, .event:
            break
        }
    }

    func sessionArrived(_ stream: UInt64, _ session: Session) -> (any StreamSink)? {
        let arrived = ArrivedSession(DestinationSession(stream, session), at: self)
        arrivals.withLock { $0[stream] = arrived }
        return arrived
    }

    /// Ends the registration and abandons its sessions.
    func cancel(over live: LiveConnection) {
        result.resolve(.failure(Call("the registration of the destination").cancelled))
        let left = arrivals.withLock { arrivals in
            defer { arrivals = [:] }
            return arrivals.values
        }
        // The broker ends the sessions with the destination. Without this they would seem to have ended on their own.
        for session in left { session.abandon() }
        live.cancel(self)
        for session in left { live.cancel(session) }
        queue.finish(discarding: true)
    }

    /// The stream of one session.
    private final class ArrivedSession: StreamSink {
        private let destination: DestinationRequest
        private let visited: Lock<DestinationSession>
        private let window = DropWindow()
        private let isAbandoned = Lock(false)

        init(_ visited: DestinationSession, at destination: DestinationRequest) {
            self.visited = Lock(visited)
            self.destination = destination
        }

        var isCancelled: Bool { false }

        /// Ignores all further events from the broker.
        func abandon() {
            isAbandoned.withLock { $0 = true }
        }

        func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
            guard !isAbandoned.withLock(\.self) else { return }
            let (visited, step) = visited.withLock { visited in
                let step = visited.take(event)
                return (visited, step)
            }
            switch step {
            case .none: return
            case .over(let outcome):
                // Set here, and not when the queue is read: the handler of the drop must not begin loads in between.
                let outcome = Drag.Outcome(outcome)
                window.sessionEnded(outcome)
                destination.arrivals.withLock { _ = $0.removeValue(forKey: visited.stream) }
            case .propose, .exited, .perform: break
            }
            destination.queue.append(.session(visited, step, window))
            effects.append(.deliver(.changed, to: self))
        }

        func deliver(_ delivery: SinkDelivery) {
            if let outcome = window.outcome { window.ending.resolve(outcome) }
            destination.queue.wake()
        }

        func failed(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
            let stream = visited.withLock { $0.stream }
            var nothing: [UInt8] { [] }
            received(.failed(stream, failure), in: nothing.span, &effects)
        }
    }
}
