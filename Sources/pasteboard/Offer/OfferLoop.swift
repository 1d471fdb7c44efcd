import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end. If the broker ends unexpectedly, the contents are
/// written again at the next one.
final class OfferLoop {
    private let contents: OfferedContents
    private var placed: OfferedContents.Placed
    private let standing: StandingConnection
    private let signals: SignalBox
    private let keepsOnExit: Bool
    private var hasEnded = false

    /// - Parameters:
    ///   - placed: the contents at the present broker.
    ///   - keepsOnExit: whether the promises are handed over if a signal ends the offer before its contents end.
    ///     Otherwise they are withdrawn.
    init(
        _ contents: OfferedContents,
        at placed: OfferedContents.Placed,
        keepsOnExit: Bool,
        signals: SignalBox
    ) {
        self.contents = contents
        self.placed = placed
        self.keepsOnExit = keepsOnExit
        self.signals = signals
        standing = StandingConnection(
            placed.connection,
            as: contents.standing.verb,
            streams: AskServer.maximumAsks
        )
        standing.restore { [unowned self] in try placeAgain(over: $0) }
    }

    /// Returns once the contents were replaced or cleared and the last load is done, or were handed over.
    func run() throws {
        defer { placed.server.stop() }
        while !hasEnded || isPlaced && !placed.server.isIdle {
            let arrived = try turn(until: .max) { placed, extra in
                try placed.server.turn(watching: extra) { try handle($0) }
            }
            guard let signal = arrived else { continue }
            if !hasEnded {
                let handOver = keepsOnExit ? try handOver() : nil
                if let handOver, handOver.isComplete, !hasEnded { break }
                if !hasEnded, handOver?.hasKept != true { contents.withdraw(placed) }
            }
            throw CommandFailure.signaled(signal)
        }
        // The end of the last load must not be lost.
        if isPlaced { try placed.connection.sendAll() }
    }

    /// Whether the contents are or were at the present broker. False if they could not come back.
    private var isPlaced: Bool { standing.connection === placed.connection }

    /// Takes a turn: of `work`, or of the wait for the next broker. What has ended does not come back.
    ///
    /// - Returns: a signal, if one has arrived.
    private func turn(
        until deadline: UInt64,
        _ work: (OfferedContents.Placed, [PollInterest]) throws -> [PollInterest.Readiness]
    ) throws -> CInt? {
        let extra = [signals.interest]
        let ready =
            if hasEnded {
                try work(placed, extra)
            } else {
                try standing.turn(watching: extra, until: deadline) { _ in try work(placed, extra) }
            }
        if standing.isLost { placed.server.cancelAll() }
        return ready[0].isEmpty ? nil : try signals.next()
    }

    /// Hands the promises over: at the next broker, if the present one has been lost or is lost meanwhile.
    private func handOver() throws -> OfferHandOver {
        let handOver = OfferHandOver(of: contents)
        defer { handOver.stop() }
        do {
            // The delay between attempts may have grown to 30 s.
            standing.hurry()
            while !hasEnded, standing.isLost || !handOver.isOver {
                guard !standing.isLost || MonotonicClock.now() < handOver.deadline else {
                    throw Failure(.brokerUnavailable, "the broker has ended, and no other one runs")
                }
                let signal = try turn(until: handOver.deadline) { placed, extra in
                    try handOver.turn(at: placed, watching: extra) { try handle($0) }
                }
                if let signal { throw CommandFailure.signaled(signal) }
            }
        } catch {
            handOver.abandon(after: error, isLost: standing.isLost)
            throw error
        }
        if !hasEnded { handOver.report() }
        return handOver
    }

    /// Writes the contents again at the next broker.
    private func placeAgain(over connection: BlockingConnection) throws {
        do {
            guard let next = try contents.placeAgain(over: connection) else { return end("has expired") }
            // A program that is slow to end does not delay the contents.
            placed.server.stop()
            placed = next
        } catch let failure as Failure where failure.code == .superseded {
            end("was replaced by other contents")
        }
    }

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .ended(placed.publication.stream, let ended):
            switch ended.reason {
            case .cleared: end("was cleared")
            case .expired: end("has expired")
            case .loaded: end("was pasted for the last time")
            default: end("was replaced by other contents")
            }
        case .failed(placed.publication.stream, let failure):
            throw failure
        default:
            break
        }
    }

    private func end(_ how: String) {
        hasEnded = true
        StandardStreams.remark("the offer \(how)")
    }
}
