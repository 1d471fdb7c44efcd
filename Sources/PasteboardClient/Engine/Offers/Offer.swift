import PasteboardTransport
package import PasteboardWire

/// Promised contents over any number of brokers.
package final class Offer: Sendable {
    /// The contents at a broker.
    package struct Placement: Sendable {
        package let connection: BrokerConnection
        package let committed: Committed
    }

    private enum Phase {
        /// Nothing is at a broker, or not any more.
        case lost
        case stands(Placement)
        case over
    }

    private struct State: ~Copyable {
        var standing: StandingWrite
        var phase = Phase.lost
        /// The contents after the first write, until they are served.
        var first: Publication?
        /// The numbers of the waits for the next phase.
        var waits: [UInt64] = []
    }

    package let brokers: Brokers
    package let items: [Item]
    private let handler: AskStream.Handler
    private let state: Lock<State>

    /// - Parameters:
    ///   - write: the request. Contents with a number of loads end with their connection.
    ///   - items: the items, whose representations are promised.
    package init(_ write: Write, _ items: [Item], at brokers: Brokers, answering handler: @escaping AskStream.Handler) {
        self.brokers = brokers
        self.items = items
        self.handler = handler
        state = Lock(State(standing: StandingWrite(write)))
    }

    package var board: String { state.withLock { $0.standing.write.board } ?? BoardName.general }

    /// Whether the contents are at no broker now.
    package var isLost: Bool {
        state.withLock { state in
            if case .lost = state.phase { true } else { false }
        }
    }

    /// Whether the contents have ended.
    package var isOver: Bool {
        state.withLock { state in
            if case .over = state.phase { true } else { false }
        }
    }

    // MARK: Writing

    /// Writes the contents for the first time.
    ///
    /// - Parameter prepare: called before each attempt.
    package func place(_ prepare: (BrokerConnection) async throws -> Void = { _ in }) async throws -> Committed {
        try await brokers.recovering(Recovery(.change)) { connection in
            try await prepare(connection)
            var publication: Publication? = try await write(state.withLock { $0.standing.write }, at: connection)
            let committed = publication?.committed ?? Committed()
            state.withLock { $0.first = publication.take() }
            return committed
        }
    }

    /// Answers asks until the contents end. After a loss the contents are written again, under the change count that
    /// they had.
    ///
    /// - Parameter ended: called when the contents have ended, while answers may be under way.
    /// - Returns: the reason of their end.
    package func serve(ended: (EndReason) -> Void = { _ in }) async throws -> EndReason {
        defer { enter(.over) }
        func end(_ reason: EndReason) -> EndReason {
            enter(.over)
            ended(reason)
            return reason
        }
        let verb = state.withLock { $0.standing.verb }
        return try await brokers.standing(Recovery(verb), hasStood: true) { connection, stands in
            var publication: Publication
            // The broker may have been lost meanwhile.
            if let first = state.withLock({ $0.first.take() }), first.connection === connection {
                publication = first
            } else {
                let again = state.withLock { $0.standing.again(at: MonotonicClock.bootMicroseconds()) }
                guard let again else { return end(.expired) }
                do {
                    publication = try await write(again, at: connection)
                } catch let error as RequestFailure where error.failure.code == .superseded {
                    return end(.replaced)
                }
            }
            stands()
            do throws(RequestFailure) {
                return try await publication.serve(handler) { _ = end($0.reason ?? .replaced) }.reason ?? .replaced
            } catch {
                enter(.lost)
                throw error
            }
        }
    }

    private func write(_ write: Write, at connection: BrokerConnection) async throws -> Publication {
        let publication = try await connection.write(write, items.map { WriteItem(promising: $0) })
        let committed = publication.committed
        state.withLock { $0.standing.commit(committed, at: MonotonicClock.bootMicroseconds()) }
        enter(.stands(Placement(connection: connection, committed: committed)))
        return publication
    }

    // MARK: Phases

    private func enter(_ phase: Phase) {
        let waits = state.withLock { state in
            state.phase = phase
            return exchange(&state.waits, with: [])
        }
        for number in waits { brokers.loop.resume(number) }
    }

    /// The contents at a broker. Waits for the next broker if this one was lost.
    ///
    /// - Parameters:
    ///   - lost: the connection of contents that are not meant, because their broker is lost or ends.
    ///   - deadline: the time at which it waits no more (see `MonotonicClock`).
    /// - Returns: nil if the contents have ended, at the deadline, or if the task is cancelled.
    package func current(after lost: BrokerConnection? = nil, until deadline: UInt64 = .max) async -> Placement? {
        while true {
            let number = brokers.loop.nextNumber()
            let (placement, isOver) = state.withLock { state -> (Placement?, Bool) in
                switch state.phase {
                case .over: return (nil, true)
                case .stands(let placement) where placement.connection !== lost: return (placement, false)
                case .lost, .stands:
                    state.waits.append(number)
                    return (nil, false)
                }
            }
            if placement != nil || isOver || Task.isCancelled || MonotonicClock.isOver(deadline) { return placement }
            await brokers.loop.pause(as: number, until: deadline) { state.withLock { !$0.waits.contains(number) } }
        }
    }

    /// Clears the board if it still has these contents, so that it does not list types that cannot be loaded.
    package func withdraw() async {
        guard
            let placement = state.withLock({ state in
                if case .stands(let placement) = state.phase { placement } else { nil }
            })
        else { return }
        // A broker that does not answer must not delay the exit.
        placement.connection.limitSilence(to: 500, 500)
        let clear = Clear(board, ifChangeCount: placement.committed.changeCount)
        _ = try? await placement.connection.clear(clear)
    }
}
