import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A request that is answered once a destination exists.
final class DestinationWaiting: StreamSink {
    let reply = Reply<Void>()

    var isCancelled: Bool { reply.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        guard case .ended = event else { return }
        effects.append { self.reply.resolve(.success(())) }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.reply.resolve(.failure(PasteboardError(failure))) }
    }
}
