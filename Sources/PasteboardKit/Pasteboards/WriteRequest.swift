import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A write, and the publication that results from it, until the ownership is lost.
final class WriteRequest: StreamSink {
    let result = PendingResult<ChangeCount>()
    /// The promises at the time of the write. Representations that are registered later belong to later writes.
    private let items: [ProviderContents]

    /// The way in which the ownership was lost.
    let end = SharedResult<Publication.End>()
    private let isWithdrawn = Lock(false)

    init(_ items: [ProviderContents]) {
        self.items = items
    }

    var isCancelled: Bool { result.isResolved }
    var isPublication: Bool { true }

    /// Opens the write and sends all its items.
    func send(board: String, _ state: inout ClientState) throws(Failure) -> UInt64 {
        var write = Write()
        write.board = board
        let stream = try state.open(write)
        do throws(Failure) {
            for item in items { try state.add(item.message, to: stream) }
        } catch {
            state.cancel(stream)
            throw error
        }
        state.commit(stream, itemCount: items.count)
        return stream
    }

    /// Sets whether a clear of the pasteboard is this program's own, which is reported as
    /// ``Publication/End/withdrawn``.
    func withdraws(_ isWithdrawn: Bool) {
        self.isWithdrawn.withLock { $0 = isWithdrawn }
    }

    private var clearing: Publication.End { isWithdrawn.withLock(\.self) ? .withdrawn : .cleared }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? {
        guard item < items.count, representation < items[Int(item)].representations.count else { return nil }
        return items[Int(item)].representations[Int(representation)].handler
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        switch event {
        case .committed, .ended: effects.append(.deliver(.event(event), to: self))
        default: break
        }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.committed(_, let committed)):
            result.resolve(.success(ChangeCount(committed)))
        case .event(.ended(_, let end)):
            self.end.resolve(end.reason == .cleared ? clearing : .replaced)
        case .failed(let failure):
            result.resolve(.failure(PasteboardError(failure)))
            end.resolve(.brokerGone)
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }
}
