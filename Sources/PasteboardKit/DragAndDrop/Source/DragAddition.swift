import PasteboardClient
import PasteboardWire

/// Items that are being added to a session.
final class DragAddition: StreamSink {
    let result = PendingResult<Void>()
    private let items: [DragItem]
    private let promises: [ProviderContents]
    private let session: DragRequest

    init(_ items: [DragItem], to session: DragRequest) throws(PasteboardError) {
        self.items = items
        self.session = session
        promises = try DragRequest.promises(of: items, after: session.items.count)
    }

    var isCancelled: Bool { result.isResolved }

    func send(to handle: UInt64, _ client: inout ClientState) throws(Failure) -> UInt64 {
        var drag = PasteboardWire.Drag()
        drag.handle = handle
        return try client.open(drag, promises)
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        guard case .committed = event else {
            // This may be the last reference to the addition. Its items may hold objects of the program, whose deinit
            // is the program's code and must not run under the lock.
            return effects.append(.release([.sink(self)]))
        }
        // Immediately, because the broker may ask for one of these items next.
        session.add(items, promises)
        effects.append(.deliver(.finished, to: self))
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .finished: result.resolve(.success(()))
        case .failed(let failure): result.resolve(.failure(PasteboardError(failure)))
        case .changed, .answered, .progress, .event: break
        }
    }
}
