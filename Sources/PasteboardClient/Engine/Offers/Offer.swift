import PasteboardTransport
package import PasteboardWire

/// Contents of this program over any number of brokers: after a loss they are written again, under the change count
/// that they had.
package final class Offer: Sendable {
    /// The contents at a broker.
    package struct Placement: Sendable {
        package let connection: BrokerConnection
        package let committed: Committed
        fileprivate let stream: StreamReference

        fileprivate init(_ publication: borrowing Publication) {
            connection = publication.connection
            committed = publication.committed
            stream = publication.shared
        }
    }

    /// Writes the contents to a broker.
    ///
    /// - Parameter isFirst: whether `place` writes, also if that is made again after a loss; false when `serve` does.
    package typealias Writing =
        @Sendable (_ write: Write, BrokerConnection, _ isFirst: Bool) async throws -> Publication

    private enum Phase {
        /// No broker has the contents: they were not written yet, or their broker was lost.
        case lost
        case stands(Placement)
        case over
    }

    /// The way in which the contents are left at their broker.
    private enum Leaving {
        /// The broker is lost or ends; the contents go on at the next one.
        case lost(RequestFailure)
        /// The broker has all of them.
        case over
    }

    private struct State: ~Copyable {
        var standing: StandingWrite
        var phase = Phase.lost
        /// The contents after the first write, until they are served.
        var first: Publication?
        var stood: Brokers.Standing?
        /// The contents at the last broker.
        var last: Placement?
        var leaving: Leaving?
        /// The numbers of the waits for the next phase.
        var waits: [UInt64] = []
    }

    package let brokers: Brokers
    private let survivesStop: Bool
    private let writing: Writing
    private let state: Lock<State>

    /// - Parameters:
    ///   - write: the request. Contents with a limited number of loads are not written again.
    ///   - endsWithBroker: as for `StandingWrite`.
    ///   - survivesStop: as for `Recovery`.
    package init(
        _ write: Write,
        at brokers: Brokers,
        endsWithBroker: Bool = false,
        survivesStop: Bool = false,
        _ writing: @escaping Writing
    ) {
        self.brokers = brokers
        self.survivesStop = survivesStop
        self.writing = writing
        state = Lock(State(standing: StandingWrite(write, endsWithBroker: endsWithBroker)))
    }

    /// An offer of promises.
    package convenience init(
        _ write: Write,
        _ items: [Item],
        at brokers: Brokers,
        answering handler: @escaping AskStream.Handler
    ) {
        let answerer = AskStream.answerer(handler)
        self.init(write, at: brokers) { (write, connection, _) in
            try await connection.write(write, items.map { WriteItem(promising: $0) }, answering: answerer)
        }
    }

    /// The first request.
    package var write: Write { state.withLock { $0.standing.write } }
    package var board: String { write.board ?? BoardName.general }
    /// The contents at the last broker that has had them.
    package var last: Placement? { state.withLock { $0.last } }

    /// Whether no broker has the contents now, although they have not ended.
    package var isLost: Bool {
        switch state.withLock({ $0.phase }) {
        case .lost: true
        case .stands(let placement): placement.connection.isOver
        case .over: false
        }
    }

    /// Whether the contents have ended, also if `serve` has not handled that yet.
    package var hasEnded: Bool {
        switch state.withLock({ $0.phase }) {
        case .lost: false
        case .stands(let placement): placement.stream.hasEnded
        case .over: true
        }
    }

    /// Whether the contents are written again after a loss: not if their terms forbid that, or after `Brokers.end`.
    package var isRestorable: Bool { state.withLock { $0.standing.verb } == .standing && !brokers.isClosed }

    /// Whether the contents have ended.
    package var isOver: Bool {
        state.withLock { state in
            if case .over = state.phase { true } else { false }
        }
    }

    // MARK: Writing

    /// Writes the contents for the first time. `serve` has to follow: at the next broker, requests of the library wait
    /// for it.
    ///
    /// - Parameters:
    ///   - recovery: the rule for a loss during the write.
    ///   - deadline: the time at which an attempt to connect fails with `timeout` (see `MonotonicClock`).
    ///   - prepare: called before each attempt.
    package func place(
        _ recovery: Recovery = Recovery(.change),
        until deadline: UInt64 = .max,
        _ prepare: (BrokerConnection) async throws -> Void = { _ in }
    ) async throws -> Committed {
        try await brokers.recovering(recovery, until: deadline) { connection in
            try await prepare(connection)
            var publication: Publication? = try await write(self.write, at: connection, isFirst: true)
            let committed = publication?.committed ?? Committed()
            let stood = brokers.stand(at: connection)
            state.withLock { state in
                state.first = publication.take()
                state.stood = stood
            }
            return committed
        }
    }

    /// Keeps the contents published until they end, and writes them again after a loss.
    ///
    /// - Parameter ended: called when the contents have ended, while answers may be under way; not after `leave` or
    ///   `end`.
    /// - Returns: the reason of their end; `replaced` after `leave`.
    /// - Throws: the failure of the last loss, if the contents are not written again.
    package func serve(ended: (EndReason) -> Void = { _ in }) async throws -> EndReason {
        defer { enter(.over) }
        func end(_ reason: EndReason) -> EndReason {
            enter(.over)
            ended(reason)
            return reason
        }
        let (verb, stood) = state.withLock { ($0.standing.verb, $0.stood.take()) }
        let recovery = Recovery(verb, survivesStop: survivesStop)
        return try await brokers.standing(recovery, since: stood) { connection, stands in
            var publication: Publication
            // The broker may have been lost meanwhile.
            if let first = state.withLock({ $0.first.take() }), first.connection === connection {
                publication = first
            } else {
                if isOver { return .replaced }
                let again = state.withLock { $0.standing.again(at: MonotonicClock.bootMicroseconds()) }
                guard let again else { return end(.expired) }
                do {
                    publication = try await write(again, at: connection, isFirst: false)
                    // The offer has ended meanwhile. Its promises end with `publication`.
                    if isOver { return .replaced }
                } catch let error as RequestFailure where error.failure.code == .superseded {
                    return end(.replaced)
                }
            }
            stands()
            do throws(RequestFailure) {
                while true {
                    switch state.withLock({ $0.leaving.take() }) {
                    case .lost(let failure):
                        publication.leave()
                        throw failure
                    case .over:
                        publication.leave()
                        return .replaced
                    case nil: break
                    }
                    guard let reason = try await publication.ended() else { continue }
                    _ = end(reason)
                    await connection.answersEnded(of: publication.committed.handle, until: .max)
                    return reason
                }
            } catch {
                enter(.lost)
                throw error
            }
        }
    }

    private func write(_ write: Write, at connection: BrokerConnection, isFirst: Bool) async throws -> Publication {
        let publication = try await writing(write, connection, isFirst)
        let placement = Placement(publication)
        state.withLock { state in
            state.standing.commit(placement.committed, at: MonotonicClock.bootMicroseconds())
            state.last = placement
            if case .lost = state.leaving { state.leaving = nil }
        }
        enter(.stands(placement))
        return publication
    }

    // MARK: Phases

    private func enter(_ phase: Phase) {
        let waits = state.withLock { state in
            if case .over = state.phase { return [UInt64]() }
            state.phase = phase
            return exchange(&state.waits, with: [])
        }
        for number in waits { brokers.loop.resume(number) }
    }

    /// The contents at the present broker. While no broker has them, waits until the next one does.
    ///
    /// - Parameters:
    ///   - lost: a connection that no longer counts, because its broker is lost or ends.
    ///   - deadline: the time at which it waits no more (see `MonotonicClock`).
    /// - Returns: nil if the contents have ended, at the deadline, or if the task is cancelled.
    package func current(after lost: BrokerConnection? = nil, until deadline: UInt64 = .max) async -> Placement? {
        let number = brokers.loop.nextNumber()
        defer { state.withLock { $0.waits.removeAll { $0 == number } } }
        while true {
            let phase = state.withLock { state in
                state.waits.append(number)
                return state.phase
            }
            switch phase {
            case .over: return nil
            case .stands(let placement) where placement.connection !== lost && !placement.connection.isOver:
                return placement
            case .lost, .stands: break
            }
            if Task.isCancelled || MonotonicClock.isOver(deadline) { return nil }
            await brokers.loop.pause(as: number, until: deadline) { state.withLock { !$0.waits.contains(number) } }
        }
    }

    /// Gives the contents up at a broker that is lost or ends, so that they are written again at the next one. Answers
    /// that are under way go on.
    func lose(_ placement: Placement, _ failure: RequestFailure) {
        state.withLock { state in
            guard case .stands(let current) = state.phase, current.connection === placement.connection else { return }
            (state.leaving, state.phase) = (.lost(failure), .lost)
        }
        placement.stream.nudge()
    }

    /// Ends the offer of contents that the broker has completely.
    package func leave() {
        state.withLock { state in
            if case .stands = state.phase { state.leaving = .over }
        }
        enter(.over)
        last?.stream.nudge()
    }

    /// Ends the promises, and does not wait for the broker. The board still lists them, but they cannot be loaded.
    package func end() {
        enter(.over)
        last?.stream.cancel()
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
