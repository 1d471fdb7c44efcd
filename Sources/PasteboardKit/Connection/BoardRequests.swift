import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The question what a board holds.
final class ListRequest: StreamSink {
    struct Listing: Sendable {
        var contents = Contents()
        var items: [Item] = []
    }

    let result = PendingResult<Listing>()
    private let listing = Lock(Listing())

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .contents(_, let contents): listing.withLock { $0.contents = contents }
        case .item(_, let item): listing.withLock { $0.items.append(item) }
        case .ended: effects.append { self.result.resolve(.success(self.listing.withLock { $0 })) }
        default: break
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.result.resolve(.failure(PasteboardError(failure))) }
    }
}

/// A clear of a board.
final class ClearRequest: StreamSink {
    let result = PendingResult<ChangeCount>()

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        guard case .committed(_, let committed) = event else { return }
        effects.append { self.result.resolve(.success(ChangeCount(committed))) }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.result.resolve(.failure(PasteboardError(failure))) }
    }
}
