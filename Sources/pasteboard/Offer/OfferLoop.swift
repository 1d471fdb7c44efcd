import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end.
final class OfferLoop {
    private let publication: UInt64
    private let withdraw: () -> Void
    private let server: AskServer
    private let signals: SignalBox
    private var hasEnded = false

    /// - Parameter withdraw: takes the promises back if a signal ends the offer before its contents end.
    init(publication: UInt64, server: AskServer, signals: SignalBox, withdraw: @escaping () -> Void) {
        self.publication = publication
        self.withdraw = withdraw
        self.server = server
        self.signals = signals
    }

    /// Returns once the contents were replaced or cleared and the last load is done.
    func run() throws {
        defer { self.server.stop() }
        while !self.hasEnded || !self.server.isIdle {
            let signal = try self.server.turn(watching: self.signals) { try self.handle($0) }
            guard let signal else { continue }
            if !self.hasEnded { self.withdraw() }
            throw CommandFailure.signaled(signal)
        }
    }

    private func handle(_ event: ClientEvent) throws {
        switch event {
        case .ended(self.publication, let end):
            self.hasEnded = true
            StandardStreams.note(
                "pasteboard: offer: " + (end.reason == 2 ? "cleared" : "replaced by other contents")
            )
        case .failed(self.publication, let failure):
            throw failure
        default:
            break
        }
    }
}
