import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A watch of a board, or of all, over the connections of the program, which begins again after a lost one.
final class WatchRequest: StreamSink {
    private struct State {
        var watch: WatchOperation
        var live: BrokerConnection
        /// nil before the first call, and while the connection is lost.
        var stream: UInt64?
        var isOpened = false
        var isLost = false
        var isOver = false
        var waiting: PendingResult<Pasteboard.Change>?
        /// A change, and the failure of the request, that are to be delivered.
        var change: Change?
        var refusal: Failure?
        /// The reason why the watch is over.
        var failure: PasteboardError?
    }

    private let restoration: Restoration
    private let state: Lock<State>

    init(_ watch: WatchOperation, over live: BrokerConnection, restoration: Restoration) {
        state = Lock(State(watch: watch, live: live))
        self.restoration = restoration
    }

    var isCancelled: Bool {
        // A watch that is lost begins again even if no call waits at the moment.
        state.withLock { $0.isOver || !$0.isLost && $0.waiting?.isResolved ?? false }
    }

    /// Whether a broker has confirmed the watch, so that it continues by itself.
    var isRestorable: Bool { restoration.contains(self) }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    private func open(over live: BrokerConnection) {
        live.open(self) { client throws(Failure) in try client.open(state.withLock { $0.watch.open() }) }
    }

    /// Ends the watch.
    func cancel() {
        let live = state.withLock { state in
            state.isOver = true
            return state.live
        }
        live.cancel(self)
        restoration.remove(self)
    }

    /// Waits for the next change. A cancellation or timeout ends the watch.
    func next(for call: Call) async throws(PasteboardError) -> Pasteboard.Change {
        let result = PendingResult<Pasteboard.Change>()
        return try await result.value(for: call) {
            self.cancel()
        } start: {
            let (isFirst, live, stream, failure) = state.withLock { state in
                state.waiting = result
                // Without a stream the request, which is made now or after the loss, contains the credit.
                let stream = state.watch.want() ? state.stream : nil
                return (!exchange(&state.isOpened, with: true), state.live, stream, state.failure)
            }
            if let failure {
                result.resolve(.failure(failure))
            } else if isFirst {
                open(over: live)
            } else if let stream {
                live.tell { $0.grantChange(stream) }
            }
        }
    }

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        switch state.withLock({ $0.watch.handle(event) }) {
        case .registered:
            state.withLock { $0.isLost = false }
            restoration.add(self)
        case .changed(let change): state.withLock { $0.change = change }
        case .failed, .none: break
        }
        return true
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.refusal = failure }
    }

    func deliver() {
        let (waiting, board, change, refusal) = state.withLock { state in
            (state.waiting, state.watch.board, state.change.take(), state.refusal.take())
        }
        if let change { waiting?.resolve(.success(Pasteboard.Change(change, of: board))) }
        if let refusal { failed(PasteboardError(refusal)) }
    }

    /// Handles the failure of the watch, or of an attempt to begin it again.
    private func failed(_ error: PasteboardError) {
        guard restoration.keeps(self, after: error, over: state.withLock({ $0.live })) else { return giveUp(error) }
        lose()
    }

    private func lose() {
        state.withLock { ($0.isLost, $0.stream) = (true, nil) }
    }
}

extension WatchRequest: Restorable {
    func lost(_ failure: Failure) {
        guard restoration.contains(self) else { return failed(failure) }
        lose()
    }

    func restore(over live: BrokerConnection) {
        let opens = state.withLock { state in
            // Once over each connection: the broker may not have answered yet.
            guard state.isLost, state.live !== live else { return false }
            state.live = live
            return true
        }
        if opens { open(over: live) }
    }

    func giveUp(_ error: PasteboardError) {
        restoration.remove(self)
        let waiting = state.withLock { state in
            state.failure = error
            state.isOver = true
            return state.waiting
        }
        waiting?.resolve(.failure(error))
    }
}
