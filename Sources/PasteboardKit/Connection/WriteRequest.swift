import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A write, and the life of what it has published.
final class WriteRequest: StreamSink {
    let reply = Reply<ChangeCount>()
    /// What is promised, as it was when it was written: what is registered later is for later writes.
    private let items: [ProviderContents]

    private struct Life {
        var end: Publication.End?
        var waiters: [CheckedContinuation<Publication.End, Never>] = []
    }

    private let life = Lock(Life())

    init(_ items: [ProviderContents]) {
        self.items = items
    }

    var isCancelled: Bool { reply.isResolved }
    var isPublication: Bool { true }

    /// Opens the write and sends all of it.
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

    func handler(item: UInt32, representation: UInt32) -> DataHandler? {
        guard item < items.count, representation < items[Int(item)].representations.count else { return nil }
        return items[Int(item)].representations[Int(representation)].handler
    }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout Effects) {
        switch event {
        case .committed(_, let committed):
            let changeCount = ChangeCount(committed)
            effects.append { self.reply.resolve(.success(changeCount)) }
        case .ended(_, let end):
            effects.append { self.end(end.reason == 2 ? .cleared : .replaced) }
        default:
            break
        }
    }

    func failed(_ failure: Failure, _ effects: inout Effects) {
        effects.append {
            self.reply.resolve(.failure(PasteboardError(failure)))
            self.end(.brokerGone)
        }
    }

    // MARK: The publication's life

    func ended() async -> Publication.End {
        await withCheckedContinuation { continuation in
            let end = life.withLock { life -> Publication.End? in
                if life.end == nil { life.waiters.append(continuation) }
                return life.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    private func end(_ end: Publication.End) {
        let waiters = life.withLock { life -> [CheckedContinuation<Publication.End, Never>] in
            guard life.end == nil else { return [] }
            life.end = end
            let waiters = life.waiters
            life.waiters = []
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }
}
