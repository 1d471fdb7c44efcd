import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The question where drags can be directed to.
final class DestinationNames: StreamSink {
    let result = PendingResult<[String]>()
    private let names = Lock([String]())

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .statusEntry(_, let entry):
            // The broker tells more, and nobody asked for that.
            if let name = entry.destination?.name { names.withLock { $0.append(name) } }
        case .ended:
            effects.append { self.result.resolve(.success(self.names.withLock { $0 })) }
        default: break
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.result.resolve(.failure(PasteboardError(failure))) }
    }
}
