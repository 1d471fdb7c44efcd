import PasteboardClient
import PasteboardWire

/// Items on their way into a session that is under way.
final class DragAddition: StreamSink {
    let result = PendingResult<Void>()
    private let items: [DragItem]
    private let promises: [ProviderContents]
    private let session: DragRequest

    init(_ items: [DragItem], to session: DragRequest) throws(PasteboardError) {
        self.items = items
        self.session = session
        promises = try DragRequest.promises(of: items, behind: session.items.count)
    }

    var isCancelled: Bool { result.isResolved }

    func send(to handle: UInt64, _ client: inout ClientState) throws(Failure) -> UInt64 {
        var drag = PasteboardWire.Drag()
        drag.handle = handle
        return try client.open(drag, promises)
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        // Not let go of under the lock: with it may go what the program has attached to an item.
        defer { effects.append { withExtendedLifetime(self) {} } }
        guard case .committed = event else { return }
        // At once: the broker may ask for one of them next.
        session.add(items, promises)
        effects.append { self.result.resolve(.success(())) }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append { self.result.resolve(.failure(PasteboardError(failure))) }
    }
}
