import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The lifetime of an offer: answers asks until its contents end.
final class OfferLoop {
    private let publication: UInt64
    private let server: AskServer
    private let signals: SignalBox
    private var hasEnded = false

    init(publication: UInt64, server: AskServer, signals: SignalBox) {
        self.publication = publication
        self.server = server
        self.signals = signals
    }

    /// Returns once the contents were replaced or cleared and the last load is done.
    func run() throws {
        defer { self.server.stop() }
        while !self.hasEnded || !self.server.isIdle {
            let signal = try self.server.turn(watching: self.signals) { try self.handle($0) }
            if let signal { throw CommandFailure.signaled(signal) }
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
