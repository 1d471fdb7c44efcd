import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end.
final class OfferLoop {
    private let publication: UInt64
    private let withdraw: () -> Void
    /// nil if the promises end with this process.
    private let handOver: OfferHandOver?
    private let server: AskServer
    private let signals: SignalBox
    private var hasEnded = false

    /// - Parameters:
    ///   - handOver: hands the promises over if a signal ends the offer before its contents end.
    ///   - withdraw: withdraws the promises instead.
    init(
        publication: UInt64,
        server: AskServer,
        signals: SignalBox,
        handOver: OfferHandOver?,
        withdraw: @escaping () -> Void
    ) {
        self.publication = publication
        self.withdraw = withdraw
        self.server = server
        self.signals = signals
        self.handOver = handOver
    }

    /// Returns once the contents were replaced or cleared and the last load is done, or were handed over.
    func run() throws {
        defer { server.stop() }
        while !hasEnded || !server.isIdle {
            let signal = try server.turn(watching: signals) { try handle($0) }
            guard let signal else { continue }
            if !hasEnded {
                try handOver?.run(server, watching: signals) { try self.handle($0) }
                if let handOver, handOver.isComplete, !hasEnded { break }
                if !hasEnded, handOver?.hasKept != true { withdraw() }
            }
            throw CommandFailure.signaled(signal)
        }
        try server.sendAll()
    }

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .ended(publication, let end):
            hasEnded = true
            StandardStreams.note(
                "pasteboard: offer: the offer "
                    + (end.reason == .cleared
                        ? "was cleared"
                        : end.reason == .expired
                            ? "has expired"
                            : end.reason == .loaded ? "was pasted, once" : "was replaced by other contents")
            )
        case .failed(publication, let failure):
            throw failure
        default:
            break
        }
    }
}
