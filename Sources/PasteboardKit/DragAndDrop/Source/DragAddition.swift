import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// Items that are being added to a session.
final class DragAddition: Request {
    let result = PendingResult<Void>()
    private let items: [DragItem]
    private let promises: [ProviderContents]
    private let session: DragRequest
    private let outcome = Lock<Result<Void, PasteboardError>?>(nil)

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

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        guard case .committed = event else { return false }
        // Immediately, because the broker may ask for one of these items next.
        session.add(items, promises)
        outcome.withLock { $0 = .success(()) }
        return true
    }

    func failed(_ failure: Failure) {
        outcome.withLock { $0 = $0 ?? .failure(PasteboardError(failure)) }
    }

    func deliver() {
        if let outcome = outcome.withLock(\.self) { result.resolve(outcome) }
    }
}
