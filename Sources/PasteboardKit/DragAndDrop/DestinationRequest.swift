import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The stream of a name at the broker. What happens to the sessions that come to it is queued in order.
final class DestinationRequest: StreamSink {
    enum Event: Sendable {
        case visit(VisitedSession, VisitedSession.Step, LoadWindow)
        case lost(Failure)
    }

    let reply = Reply<Void>()
    let queue = EventQueue<Event>()
    private let visits = Lock<[UInt64: Visit]>([:])

    var isCancelled: Bool { reply.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .registered: effects.append { self.reply.resolve(.success(())) }
        case .ended: lose(Failure(.brokerUnavailable, "the broker has ended the destination"), &effects)
        default: break
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        lose(failure, &effects)
    }

    private func lose(_ failure: Failure, _ effects: inout Effects) {
        queue.append(.lost(failure))
        effects.append {
            self.reply.resolve(.failure(PasteboardError(failure)))
            self.queue.wake()
        }
    }

    func visit(_ stream: UInt64, _ session: Session) -> (any StreamSink)? {
        let visit = Visit(VisitedSession(stream, session), at: self)
        visits.withLock { $0[stream] = visit }
        return visit
    }

    /// Gives up the name, and the sessions that are there.
    func cancel(over link: Link) {
        reply.resolve(.failure(Call("the registration of the destination").cancelled))
        let left = visits.withLock { visits in
            defer { visits = [:] }
            return visits.values
        }
        // The broker ends the sessions with the destination, and that would look like an end of their own.
        for visit in left { visit.abandon() }
        link.cancel(self)
        for visit in left { link.cancel(visit) }
        queue.finish(discarding: true)
    }

    /// The stream of one session.
    private final class Visit: StreamSink {
        private let destination: DestinationRequest
        private let visited: Lock<VisitedSession>
        private let window = LoadWindow()
        private let isAbandoned = Lock(false)

        init(_ visited: VisitedSession, at destination: DestinationRequest) {
            self.visited = Lock(visited)
            self.destination = destination
        }

        var isCancelled: Bool { false }

        /// Takes nothing more from the broker.
        func abandon() {
            isAbandoned.withLock { $0 = true }
        }

        func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
            guard !isAbandoned.withLock(\.self) else { return }
            let (visited, step) = visited.withLock { visited in
                let step = visited.take(event)
                return (visited, step)
            }
            switch step {
            case .none: return
            case .over(let outcome):
                // Set at once, not when the queue gets to it: the handler of the drop must not begin loads meanwhile.
                let outcome = Drag.Outcome(outcome)
                window.sessionEnded(outcome)
                effects.append { [window] in window.ending.resolve(outcome) }
                destination.visits.withLock { _ = $0.removeValue(forKey: visited.stream) }
            case .propose, .exited, .perform: break
            }
            destination.queue.append(.visit(visited, step, window))
            effects.append { self.destination.queue.wake() }
        }

        func failed(_ failure: Failure, _ effects: inout Effects) {
            let stream = visited.withLock { $0.stream }
            var nothing: [UInt8] { [] }
            received(.failed(stream, failure), in: nothing.span, &effects)
        }
    }
}
