import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end. If the broker ends unexpectedly, the contents are written
/// again at the next one.
final class OfferLoop {
    private let contents: OfferedContents
    private var placed: OfferedContents.Placed
    private let signals: SignalBox
    private let keepsOnExit: Bool
    private var reconnection = Reconnection { try Broker.startingOne(streams: AskServer.maximumAsks) }
    private var hasEnded = false

    /// - Parameters:
    ///   - placed: the contents at the present broker.
    ///   - keepsOnExit: whether the promises are handed over if a signal ends the offer before its contents end. Otherwise they
    ///     are withdrawn.
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
            let signal: CInt?
            do {
                signal = try placed.server.turn(watching: signals) { try handle($0) }
            } catch let failure as Failure where !hasEnded && contents.mayReturn && Reconnection.follows(failure) {
                guard try placeAgain() else { return }
                continue
            }
            guard let signal else { continue }
            if !hasEnded {
                let handOver = keepsOnExit ? contents.handOver(placed) : nil
                try handOver?.run(placed.server, watching: signals) { try self.handle($0) }
                if let handOver, handOver.isComplete, !hasEnded { break }
                if !hasEnded, handOver?.hasKept != true { contents.withdraw(placed) }
            }
            throw CommandFailure.signaled(signal)
        }
        try placed.server.sendAll()
    }

    /// Writes the contents again at the next broker, after the present one has ended.
    ///
    /// - Returns: false if the contents have ended.
    private func placeAgain() throws -> Bool {
        StandardStreams.note("pasteboard: offer: the broker ended; connecting again")
        placed.server.cancelAll()
        while true {
            let (connection, ready) = try reconnection.attempt(watching: [PollInterest(signals.raw, .readable)])
            if !ready[0].isEmpty { try signals.check() }
            guard let connection else { continue }
            do {
                guard let next = try contents.placeAgain(over: connection) else {
                    note(.expired)
                    return false
                }
                // A program that is slow to end does not delay the contents.
                placed.server.stop()
                placed = next
                return true
            } catch let failure as Failure where failure.code == .superseded {
                note(.replaced)
                return false
            } catch let failure as Failure where Reconnection.follows(failure) {
                // The next attempt may find another broker.
            }
        }
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
