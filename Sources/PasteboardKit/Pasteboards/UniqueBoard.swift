import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The existence of a pasteboard with a unique name. The broker removes the pasteboard when this object is released.
final class UniqueBoard: Sendable {
    private let request: BoardRequest
    private let live: BrokerConnection

    init(_ request: BoardRequest, live: BrokerConnection) {
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
    private struct State {
        var name: String?
        var end: PasteboardError?
    }

    private let state = Lock(State())

    var isCancelled: Bool { result.isResolved }

    /// The reason why the board no longer exists.
    var end: PasteboardError? { state.withLock { $0.end } }

    private func end(_ error: PasteboardError) {
        state.withLock { $0.end = $0.end ?? error }
    }

    /// Records that this program has removed the board. The broker may have reported the removal before.
    func release() {
        state.withLock { $0.end = PasteboardError(.nothingHere, message: "this pasteboard was released") }
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        switch event {
        case .registered(_, let registered): state.withLock { $0.name = registered.name ?? "" }
        case .ended: end(PasteboardError(.nothingHere, message: "this pasteboard was removed by another program"))
        default: break
        }
        return true
    }

    func failed(_ failure: Failure) {
        end(PasteboardError(failure))
    }

    func deliver() {
        let (name, end) = state.withLock { ($0.name, $0.end) }
        if let name { result.resolve(.success(name)) }
        if let end { result.resolve(.failure(end)) }
    }
}
