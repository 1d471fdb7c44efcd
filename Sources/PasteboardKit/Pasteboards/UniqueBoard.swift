import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The existence of a pasteboard with a unique name. The broker removes the pasteboard when this object is released.
final class UniqueBoard: Sendable {
    private let request: BoardRequest
    private let live: LiveConnection

    init(_ request: BoardRequest, live: LiveConnection) {
        self.request = request
        self.live = live
    }

    deinit {
        live.cancel(request)
    }

    /// Throws if the pasteboard no longer exists.
    func check() throws(PasteboardError) {
        if let error = request.end { throw error }
    }

    /// Records that the program has removed the pasteboard.
    func release() {
        request.release()
        live.cancel(request)
    }
}

/// The request for a board with a unique name. Its stream is open for the lifetime of the board.
final class BoardRequest: StreamSink {
    let result = PendingResult<String>()
    private let ending = Lock<PasteboardError?>(nil)

    var isCancelled: Bool { result.isResolved }

    /// The reason why the board no longer exists.
    var end: PasteboardError? { ending.withLock { $0 } }

    private func end(_ error: PasteboardError) {
        ending.withLock { $0 = $0 ?? error }
    }

    /// Records that this program has removed the board. The broker may have reported the removal before.
    func release() {
        ending.withLock { $0 = PasteboardError(.nothingHere, message: "this pasteboard was released") }
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        effects.append(.deliver(.event(event), to: self))
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.registered(_, let registered)):
            result.resolve(.success(registered.name ?? ""))
        case .event(.ended):
            end(PasteboardError(.nothingHere, message: "this pasteboard was removed by another program"))
        case .failed(let failure):
            let error = PasteboardError(failure)
            end(error)
            result.resolve(.failure(error))
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }
}
