import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The reader of one watch. The watch ends when the reader is released.
final class ChangeReader: Sendable {
    private struct State {
        var watch: (request: WatchRequest, live: LiveConnection)?
        var isOver = false
    }

    private let pasteboard: Pasteboard
    private let changeCount: ChangeCount?
    private let state = Lock(State())

    init(_ pasteboard: Pasteboard, since changeCount: ChangeCount?) {
        self.pasteboard = pasteboard
        self.changeCount = changeCount
    }

    deinit {
        if let watch = state.withLock({ $0.watch }) { watch.live.cancel(watch.request) }
    }

    /// Waits for the next change; nil after an error.
    func next(for call: Call) async throws(PasteboardError) -> Pasteboard.Change? {
        let (known, isOver) = state.withLock { ($0.watch, $0.isOver) }
        if isOver { return nil }
        do throws(PasteboardError) {
            if let known { return try await known.request.next(for: call, over: known.live) }
            let live = try await pasteboard.liveConnection(for: call)
            var watch = Watch()
            watch.board = pasteboard.name.rawValue
            watch.sinceChangeCount = changeCount?.value
            watch.sinceEpoch = changeCount?.epoch
            watch.credit = 1
            watch.requires = [Feature.watches.rawValue]
            let request = WatchRequest(watch)
            state.withLock { $0.watch = (request, live) }
            return try await request.next(for: call, over: live)
        } catch {
            state.withLock { $0.isOver = true }
            throw error
        }
    }
}

/// A watch of a board. It has credit for one change while a call waits for it, and none otherwise.
final class WatchRequest: StreamSink {
    private struct State {
        var stream: UInt64?
        var isOpened = false
        var waiting: PendingResult<Pasteboard.Change>?
        var failure: PasteboardError?
    }

    private let watch: Watch
    private let state = Lock(State())

    init(_ watch: Watch) {
        self.watch = watch
    }

    var isCancelled: Bool { state.withLock { $0.waiting?.isResolved ?? false } }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    /// Waits for the next change. A cancellation or timeout ends the watch.
    func next(for call: Call, over live: LiveConnection) async throws(PasteboardError) -> Pasteboard.Change {
        let result = PendingResult<Pasteboard.Change>()
        return try await result.value(for: call) {
            live.cancel(self)
        } start: {
            let (isFirst, failure) = state.withLock { state in
                state.waiting = result
                return (!exchange(&state.isOpened, with: true), state.failure)
            }
            if let failure {
                result.resolve(.failure(failure))
            } else if isFirst {
                live.open(self) { [watch] state throws(Failure) in try state.open(watch) }
            } else {
                live.tell { client in
                    if let stream = self.state.withLock({ $0.stream }) { client.grantChange(stream) }
                }
            }
        }
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        if case .changed = event { effects.append(.deliver(.event(event), to: self)) }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.changed(_, let change)):
            state.withLock { $0.waiting }?.resolve(.success(Pasteboard.Change(change)))
        case .failed(let failure):
            let error = PasteboardError(failure)
            let waiting = state.withLock { state in
                state.failure = error
                return state.waiting
            }
            waiting?.resolve(.failure(error))
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }
}
