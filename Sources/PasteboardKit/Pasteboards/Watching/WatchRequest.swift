import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A watch of a board, or of all. It has credit for one change while a call waits for it, and none otherwise.
///
/// After a lost connection it begins again, with the change that it has reported last, or with the state in which it
/// began.
final class WatchRequest: StreamSink {
    private struct State {
        var watch: Watch
        var live: LiveConnection
        /// nil before the first call, and while the connection is lost.
        var stream: UInt64?
        var isOpened = false
        var isLost = false
        var isOver = false
        var waiting: PendingResult<Pasteboard.Change>?
        /// The epoch of the broker.
        var epoch: UInt64?
        var failure: PasteboardError?

        /// Whether the credit for the call that waits was granted.
        var isCredited = false

        /// The stream that is to get the credit for the call that waits; nil if there is none, or it has the credit.
        mutating func takeCredit() -> UInt64? {
            guard let stream, let waiting, !waiting.isResolved, !exchange(&isCredited, with: true) else { return nil }
            return stream
        }
    }

    private let restoration: Restoration
    private let state: Lock<State>

    init(_ watch: Watch, over live: LiveConnection, restoration: Restoration) {
        state = Lock(State(watch: watch, live: live))
        self.restoration = restoration
    }

    var isCancelled: Bool {
        // A watch that is lost begins again even if no call waits at the moment.
        state.withLock { $0.isOver || !$0.isLost && $0.waiting?.isResolved ?? false }
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
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
            let (isFirst, live, failure) = state.withLock { state in
                state.waiting = result
                // The request contains the first credit.
                let isFirst = !exchange(&state.isOpened, with: true)
                state.isCredited = isFirst
                return (isFirst, state.live, state.failure)
            }
            if let failure {
                result.resolve(.failure(failure))
            } else if isFirst {
                let watch = state.withLock { $0.watch }
                live.open(self) { state throws(Failure) in try state.open(watch) }
            } else {
                // Without a stream the watch is lost, and gets its credit when it begins again.
                live.tell { client in
                    if let stream = self.state.withLock({ $0.takeCredit() }) { client.grantChange(stream) }
                }
            }
        }
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .registered(_, let registered):
            state.withLock { state in
                state.isLost = false
                state.epoch = registered.epoch
                // So that no change is missed or invented if the broker is lost before it reports one.
                guard state.watch.sinceChangeCount == nil else { return }
                state.watch.sinceChangeCount = registered.changeCount
                state.watch.sinceEpoch = registered.epoch
            }
            restoration.add(self)
        case .changed(_, let change):
            state.withLock { state in
                state.watch.sinceChangeCount = change.totalChangeCount ?? change.changeCount
                state.watch.sinceEpoch = change.totalChangeCount == nil ? change.epoch : state.epoch
            }
            effects.append(.deliver(.event(event), to: self))
        default: break
        }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.changed(_, let change)):
            let (waiting, board) = state.withLock { ($0.waiting, $0.watch.board) }
            waiting?.resolve(.success(Pasteboard.Change(change, of: board)))
        case .failed(let failure):
            failed(PasteboardError(failure))
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }

    /// Handles the failure of the watch, or of an attempt to begin it again.
    private func failed(_ error: PasteboardError) {
        let (live, isLost) = state.withLock { ($0.live, $0.isLost) }
        let isTried = isLost && (error.code == .brokerRestarted || live.isOver)
        if isTried, restoration.contains(self) { return }
        giveUp(error)
    }
}

extension WatchRequest: Restorable {
    func lost(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        guard restoration.contains(self) else { return failed(failure, &effects) }
        state.withLock { state in
            state.isLost = true
            state.stream = nil
            state.isCredited = false
        }
    }

    func restore(over live: LiveConnection) {
        let watch = state.withLock { state -> Watch? in
            guard state.isLost else { return nil }
            state.live = live
            var watch = state.watch
            watch.credit = 0
            return watch
        }
        guard let watch else { return }
        live.open(self) { client throws(Failure) in
            let stream = try client.open(watch)
            let isCredited = self.state.withLock { state in
                state.stream = stream
                return state.takeCredit() != nil
            }
            if isCredited { client.grantChange(stream) }
            return stream
        }
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
