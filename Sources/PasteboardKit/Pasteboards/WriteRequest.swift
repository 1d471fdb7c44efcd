import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A write, and the publication that results from it, until the ownership is lost. Or an addition to a publication.
final class WriteRequest: StreamSink {
    private struct State {
        /// The promises at the time of the write. Representations that are registered later belong to later writes.
        var items: [ProviderContents]
        var stream: UInt64?
        var handle: UInt64?
        var isWithdrawn = false
    }

    let result = PendingResult<ChangeCount>()
    /// The way in which the ownership was lost.
    let end = SharedResult<Publication.End>()
    /// The order of the additions to this publication.
    let additions = CallOrder()
    private let state: Lock<State>
    /// The publication to which this request adds.
    private let target: WriteRequest?
    /// The task that sends kept bytes.
    private let sending = HandlerTask()

    init(_ items: [ProviderContents], addingTo target: WriteRequest? = nil) {
        state = Lock(State(items: items))
        self.target = target
    }

    var isCancelled: Bool { result.isResolved }
    var isPublication: Bool { target == nil }

    /// The items of the publication, with those that were added.
    var items: [ProviderContents] { state.withLock { $0.items } }
    /// The publication's number at the broker.
    var handle: UInt64? { state.withLock { $0.handle } }
    var stream: UInt64? { state.withLock { $0.stream } }

    // MARK: Sending

    /// Opens the write and sends all its items.
    func send(
        keeping keeps: Pasteboard.KeptRepresentations,
        over live: LiveConnection,
        on open: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) {
        let writing = ItemWriting(items: items, keeps: keeps, live: live)
        guard keeps != .nothing else {
            return live.open(self) { state throws(Failure) in try writing.send(on: open, &state) }
        }
        sending.adopt(
            Task(executorPreference: ThreadPool.files) {
                do throws(PasteboardError) {
                    try await writing.send(for: self, on: open)
                } catch {
                    self.result.resolve(.failure(error))
                    live.cancel(self)
                }
            }
        )
    }

    /// Stops the write before its commit.
    func cancel(over live: LiveConnection) {
        sending.cancel()
        live.cancel(self)
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    // MARK: The publication

    /// Sets whether a clear of the pasteboard is this program's own, which is reported as
    /// ``Publication/End/withdrawn``.
    func withdraws(_ isWithdrawn: Bool) {
        state.withLock { $0.isWithdrawn = isWithdrawn }
    }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? {
        let items = items
        guard item < items.count, representation < items[Int(item)].representations.count else { return nil }
        return items[Int(item)].representations[Int(representation)].handler
    }

    /// Adds what the broker has added to the publication.
    private func merge(_ added: [ProviderContents]) {
        state.withLock { state in
            for (index, item) in added.enumerated() {
                if index < state.items.count {
                    state.items[index].representations += item.representations
                } else {
                    state.items.append(item)
                }
            }
        }
    }

    // MARK: Receiving

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .committed(_, let committed):
            state.withLock { $0.handle = committed.handle }
            // At once, because the broker may ask for one of these items next.
            target?.merge(items)
            effects.append(.deliver(.event(event), to: self))
        case .ended:
            effects.append(.deliver(.event(event), to: self))
        default: break
        }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.committed(_, let committed)):
            result.resolve(.success(ChangeCount(committed)))
        case .event(.ended(_, let end)):
            self.end.resolve(Publication.End(end.reason, isWithdrawn: state.withLock { $0.isWithdrawn }))
        case .failed(let failure):
            result.resolve(.failure(PasteboardError(failure)))
            sending.cancel()
            end.resolve(.brokerGone)
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }
}

extension Publication.End {
    fileprivate init(_ reason: EndReason?, isWithdrawn: Bool) {
        switch reason {
        case .cleared: self = isWithdrawn ? .withdrawn : .cleared
        case .expired: self = .expired
        case .loaded: self = .loaded
        default: self = .replaced
        }
    }
}
