import PasteboardTransport
import PasteboardWire

/// A drag session across a link. Its *front* is the session at the counterpart, its *back* the one at the destination
/// itself. What the source does is repeated at the back, and what the destination answers at the front.
///
/// The front is concluded only after the back, so a source deletes nothing that has not arrived; if the link ends
/// between, two copies are left.
final class LinkedSession: Sendable {
    private struct State {
        var front: DestinationSession
        var back = DragProgress()
        /// The back; nil until the front's items have arrived.
        var stream: StreamReference?
        /// The last question of the front, which every move of the back repeats.
        var question: UInt64 = 0
        /// The items that the back has.
        var source: LinkedBoard.Source
        /// Whether the back has ended before a drop.
        var isLeft = false
    }

    private let name: String
    private let from: LinkEnd
    private let to: LinkEnd
    private let front: StreamReference
    private let reportInterval: Int
    private let state: Lock<State>

    private init(
        _ session: DestinationSession,
        on front: StreamReference,
        of name: String,
        from: LinkEnd,
        to: LinkEnd,
        reportInterval: Int
    ) {
        self.front = front
        self.name = name
        self.from = from
        self.to = to
        self.reportInterval = reportInterval
        state = Lock(State(front: session, source: LinkedBoard.Source(handle: session.handle)))
    }

    /// Repeats a session until it is over.
    ///
    /// - Parameter name: the destination.
    static func run(_ front: StreamReference, at name: String, from: LinkEnd, to: LinkEnd, reportInterval: Int) async {
        var reader = front.reader()
        guard case .session(let number, let message)? = try? await reader.next(at: .standing) else { return }
        let session = LinkedSession(
            DestinationSession(number, message),
            on: front,
            of: name,
            from: from,
            to: to,
            reportInterval: reportInterval
        )
        // If the back fails, the end of the reader leaves the front.
        try? await session.repeatFront(&reader)
        session.state.withLock { $0.stream }?.cancel()
    }

    // MARK: The front

    private func repeatFront(_ reader: inout BrokerStream) async throws {
        while !state.withLock({ $0.isLeft }) {
            guard let event = try await reader.next(at: .standing, or: []) else { continue }
            switch state.withLock({ $0.front.handle(event) }) {
            case .none: break
            case .propose(let sequence, var location, _):
                location.destination = name
                state.withLock { $0.question = sequence }
                try await move(to: location, sequence)
            case .exited:
                let sequence = state.withLock(\.question)
                state.withLock { $0.stream }?.tell { try? $0.move($1, to: nil, sequence: sequence) }
            case .perform:
                guard let back = state.withLock({ $0.stream }) else { continue }
                back.tell { $0.drop($1) }
                reader.tell { $0.report(Progress(), on: $1) }
            case .over: return
            }
        }
    }

    /// Moves the back, which begins with the first move, after the items that the front has got.
    private func move(to location: Location, _ sequence: UInt64) async throws {
        let (items, handle, isBegun) = state.withLock { state in
            let items = state.front.items.dropFirst(state.source.items.count).map { $0.promised(isKept: false) }
            for item in items { state.source.append(item, index: state.source.items.count) }
            return (items, state.back.handle, state.stream != nil)
        }
        if !items.isEmpty || !isBegun {
            var drag = Drag()
            drag.handle = handle
            if !isBegun {
                let allowsMove = state.withLock { $0.front.allowsMove }
                (drag.allowsMove, drag.movesBetweenProcesses) = (allowsMove, allowsMove)
            }
            let promises = items.map { WriteItem(promising: $0) }
            guard isBegun else {
                let answerer = AskStream.answerer { [self] ask in
                    let source = state.withLock { $0.source }
                    try await from.answer(ask, from: source, reportingEvery: reportInterval)
                }
                let publication = try await to.connection.offer(drag, promises, answering: answerer)
                return try begin(publication, at: location, sequence)
            }
            // Without these items the session must not be dropped: its source would delete what has not arrived.
            try await to.connection.offer(drag, promises).leave()
        }
        state.withLock { $0.stream }?.tell { try? $0.move($1, to: location, sequence: sequence) }
    }

    private func begin(_ publication: consuming Publication, at location: Location, _ sequence: UInt64) throws {
        try publication.begin(at: location, sequence: sequence)
        let (shared, committed) = (publication.shared, publication.committed)
        state.withLock { state in
            state.stream = shared
            state.back.handle(.committed(0, committed))
        }
        _ = publication.inTask { await self.repeatBack(&$0) }
    }

    // MARK: The back

    /// Repeats at the front what the destination answers at the back.
    private func repeatBack(_ publication: inout Publication) async {
        while true {
            var event: ClientEvent?
            do throws(RequestFailure) {
                event = try await publication.next()
            } catch {
                event = .failed(0, error.failure)
            }
            guard let event else { continue }
            let (back, isDropped) = state.withLock { state in
                state.back.handle(event)
                return (state.back, state.front.isDropped)
            }
            switch event {
            case .exited: front.tell { $0.exit($1) }
            case .proposed:
                guard var proposal = back.proposal, !isDropped else { continue }
                if proposal.refusal != nil { (proposal.refusal, proposal.operation) = (nil, .cancel) }
                let repeated = proposal
                front.tell { $0.propose(repeated, on: $1) }
            case .dropped, .progress, .transferred: front.tell { $0.report(Progress(), on: $1) }
            default: break
            }
            guard let outcome = back.outcome else { continue }
            return conclude(outcome, isDropped: isDropped)
        }
    }

    private func conclude(_ outcome: DragProgress.Outcome, isDropped: Bool) {
        guard isDropped else {
            state.withLock { $0.isLeft = true }
            return front.nudge()
        }
        let failure: Failure? =
            switch outcome {
            case .transferred: nil
            case .failed(let reason): to.explained(reason)
            case .cancelled: Failure(.refused, "destination \(name) on \(to.machine) has refused the drop")
            }
        front.tell { state, number in
            var (performed, conclude) = (Performed(), Conclude())
            (performed.failure, conclude.failure) = (failure, failure)
            state.performed(performed, on: number)
            state.conclude(conclude, on: number)
        }
    }
}
