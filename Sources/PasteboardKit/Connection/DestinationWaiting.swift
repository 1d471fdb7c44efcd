import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A request that is answered once a destination exists.
final class DestinationWaiting: StreamSink {
    let result = PendingResult<Void>()

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        guard case .ended = event else { return }
        effects.append { self.result.resolve(.success(())) }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.result.resolve(.failure(PasteboardError(failure))) }
    }
}
