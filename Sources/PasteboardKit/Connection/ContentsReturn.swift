import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The wait of a load whose broker was lost, until its contents are at a broker again: their source has written them
/// again (see ``Restoration``), or only the connection was lost.
///
/// It does not accept other contents, and does not start a broker after an orderly end.
struct ContentsReturn: Sendable {
    /// The contents at a broker.
    struct Place: Sendable {
        let live: LiveConnection
        let handle: UInt64
    }

    private let identity: ContentsIdentity
    private let connection: PasteboardConnection
    private let lost: LiveConnection

    init(of identity: ContentsIdentity, over connection: PasteboardConnection, after lost: LiveConnection) {
        self.identity = identity
        self.connection = connection
        self.lost = lost
    }

    /// Waits for the contents for as long as clients have to write them again, or until the deadline of the load.
    ///
    /// - Parameter progress: can cancel the wait.
    /// - Returns: nil if the contents have not come back.
    /// - Throws: `cancelled` only.
    func place(by deadline: LoadDeadline?, progress: LoadProgress?) async throws(PasteboardError) -> Place? {
        let longest = Duration.milliseconds(connection.timeouts.settling)
        let call = Call("the load", timeout: min(deadline?.left ?? longest, longest))
        // The task does not use the threads of Swift's concurrency, because a program may block them.
        let task = Task(executorPreference: ThreadPool.connections) { () -> Result<Place?, PasteboardError> in
            do throws(PasteboardError) {
                return .success(try await self.place(for: call))
            } catch {
                return .failure(error)
            }
        }
        progress?.begin { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        do throws(PasteboardError) {
            return try result.get()
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    private func place(for call: Call) async throws(PasteboardError) -> Place? {
        // A load that begins long after the end of its broker finds the contents at the next one, or not at all.
        let settled = lost.lostAt.addingClamped(connection.timeouts.settling * 1_000_000)
        var last = lost
        while true {
            let live = try await connection.liveConnection(after: last, for: call)
            let watch = ReturnWatch(for: identity, over: live, settledAt: settled)
            do throws(PasteboardError) {
                return try await watch.handle(for: call).map { Place(live: live, handle: $0) }
            } catch {
                guard error.code == .brokerRestarted || live.isOver else { throw error }
                last = live
            }
        }
    }
}

/// A watch that ends when a board has certain contents, or others.
private final class ReturnWatch: StreamSink {
    private let identity: ContentsIdentity
    private let live: LiveConnection
    private let settledAt: UInt64
    private let result = PendingResult<UInt64?>()

    init(for identity: ContentsIdentity, over live: LiveConnection, settledAt: UInt64) {
        self.identity = identity
        self.live = live
        self.settledAt = settledAt
    }

    /// Waits for the handle of the contents; nil if the board has others.
    func handle(for call: Call) async throws(PasteboardError) -> UInt64? {
        var watch = Watch()
        watch.board = identity.board
        // Without an epoch, so that the present state is reported at once (Y22).
        watch.sinceChangeCount = 0
        watch.credit = 1
        watch.requires = [Feature.watches.rawValue]
        defer { live.cancel(self) }
        return try await result.value(for: call) {
        } start: {
            live.open(self) { [watch] state throws(Failure) in try state.open(watch) }
        }
    }

    var isCancelled: Bool { result.isResolved }

    func received(_ event: ClientEvent, in bytes: Span<UInt8>, _ effects: inout [ConnectionEffect]) {
        if case .changed = event { effects.append(.deliver(.event(event), to: self)) }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.changed(let stream, let change)):
            if let handle = change.handle {
                let isSame = change.changeCount == identity.changeCount && change.epoch == identity.epoch
                result.resolve(.success(isSame ? handle : nil))
            } else if MonotonicClock.now() >= settledAt {
                result.resolve(.success(nil))
            } else {
                live.tell { $0.grantChange(stream) }
            }
        case .failed(let failure):
            result.resolve(.failure(PasteboardError(failure)))
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }
}
