import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end. If the broker ends unexpectedly, the contents are
/// written again at the next one.
final class OfferLoop {
    private let contents: OfferedContents
    private var placed: OfferedContents.Placed
    private let signals: SignalBox
    private let keepsOnExit: Bool
    private var reconnection = OfferLoop.reconnection
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
    }

    /// Returns once the contents were replaced or cleared and the last load is done, or were handed over.
    func run() throws {
        defer { placed.server.stop() }
        while !hasEnded || !placed.server.isIdle {
            var signal: CInt?
            var isLost = false
            do {
                signal = try placed.server.turn(watching: signals) { try handle($0) }
            } catch let failure as Failure where mayReturn(after: failure) {
                StandardStreams.note("pasteboard: offer: the broker ended; connecting again")
                signal = try placeAgain()
                isLost = signal != nil
                if !isLost, hasEnded { return }
            }
            guard let signal else { continue }
            if !hasEnded {
                let handOver = keepsOnExit ? try handOver(isLost: isLost) : nil
                if let handOver, handOver.isComplete, !hasEnded { break }
                if !hasEnded, handOver?.hasKept != true { contents.withdraw(placed) }
            }
            throw CommandFailure.signaled(signal)
        }
        try placed.server.sendAll()
    }

    /// Hands the promises over: at the next broker, if the present one has been lost or is lost meanwhile.
    ///
    /// - Returns: nil if the contents have ended.
    private func handOver(isLost: Bool) throws -> OfferHandOver? {
        var deadline = MonotonicClock.deadline(milliseconds: OfferHandOver.duration)
        // The delay between attempts may have grown to 30 s, and a hand-over has 5 s.
        reconnection = Self.reconnection
        var isLost = isLost
        var handOver = contents.handOver(placed)
        while !hasEnded {
            do {
                guard isLost else {
                    try handOver.run(placed.server, until: deadline, watching: signals) { try self.handle($0) }
                    return handOver
                }
                // A broker that has refused the bytes still has the connection if a load runs.
                if placed.connection.io.state.failure == nil {
                    try finishLoads(until: deadline)
                    guard !hasEnded else { return nil }
                    deadline = MonotonicClock.deadline(milliseconds: OfferHandOver.duration)
                }
                if let signal = try placeAgain(until: deadline) { throw CommandFailure.signaled(signal) }
                handOver = contents.handOver(placed)
                isLost = false
            } catch let failure as Failure where !isLost && (mayReturn(after: failure) || isPassedOn(after: failure)) {
                StandardStreams.note("pasteboard: offer: the broker ended; connecting again")
                isLost = true
            } catch {
                handOver.abandon(after: error, isLost: isLost)
                throw error
            }
        }
        return nil
    }

    /// The number of brokers in a row that may refuse the contents because they end.
    private static let mostRefusals = 3

    private static var reconnection: Reconnection {
        Reconnection { _ in try Broker.startingOne(streams: AskServer.maximumAsks) }
    }

    /// Whether the broker refuses the bytes because another one takes over.
    private func isPassedOn(after failure: Failure) -> Bool {
        !hasEnded && contents.mayReturn && failure.code == .brokerRestarted && (try? Broker.isRunning()) == true
    }

    private func mayReturn(after failure: Failure) -> Bool {
        !hasEnded && contents.mayReturn && Reconnection.follows(failure, of: placed.connection)
    }

    /// Serves the loads that are under way at a broker that takes no more contents, until they are done, it closes the
    /// connection, or `deadline` (see `MonotonicClock`). They would be cut short when the connection is given up.
    private func finishLoads(until deadline: UInt64) throws {
        do {
            while !placed.server.isIdle, MonotonicClock.now() < deadline {
                let turn = try placed.server.turn(watching: signals, also: [], until: deadline) { try handle($0) }
                if let signal = turn.signal { throw CommandFailure.signaled(signal) }
            }
            try placed.server.sendAll()
        } catch is Failure {
            // The connection has ended.
        }
    }

    /// Writes the contents again at the next broker, after the present one has ended. Sets `hasEnded` if they have
    /// expired or were replaced.
    ///
    /// - Parameter deadline: the time at which it throws `broker-unavailable` (see `MonotonicClock`).
    /// - Returns: the signal that has interrupted the wait; nil otherwise.
    private func placeAgain(until deadline: UInt64 = .max) throws -> CInt? {
        placed.server.cancelAll()
        var refusals = 0
        while MonotonicClock.now() < deadline {
            var connected: BlockingConnection?
            do {
                let interest = PollInterest(signals.raw, .readable)
                let (connection, ready) = try reconnection.attempt(watching: [interest], until: deadline)
                if !ready[0].isEmpty, let signal = try signals.next() { return signal }
                guard let connection else { continue }
                connected = connection
                guard let next = try contents.placeAgain(over: connection) else {
                    note(.expired)
                    hasEnded = true
                    return nil
                }
                // A program that is slow to end does not delay the contents.
                placed.server.stop()
                placed = next
                return nil
            } catch let failure as Failure where failure.code == .superseded {
                guard try contents.areReplaced() else {
                    let text = "the offer cannot come back after the end of its broker: \(failure.text)"
                    throw Failure(.superseded, text)
                }
                note(.replaced)
                hasEnded = true
                return nil
            } catch let failure as Failure {
                // The next attempt may find another broker.
                if Reconnection.follows(failure, of: connected) { continue }
                connected = nil
                // Yet another broker may take over from this one.
                guard refusals < Self.mostRefusals, isPassedOn(after: failure) else { throw failure }
                refusals += 1
            }
        }
        throw Failure(.brokerUnavailable, "the broker has ended, and no other one runs")
    }

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .ended(placed.publication.stream, let end):
            hasEnded = true
            note(end.reason)
        case .failed(placed.publication.stream, let failure):
            throw failure
        default:
            break
        }
    }

    private func note(_ reason: EndReason?) {
        let end =
            switch reason {
            case .cleared: "was cleared"
            case .expired: "has expired"
            case .loaded: "was pasted, once"
            default: "was replaced by other contents"
            }
        StandardStreams.note("pasteboard: offer: the offer \(end)")
    }
}
