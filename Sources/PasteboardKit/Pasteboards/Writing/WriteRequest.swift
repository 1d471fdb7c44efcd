import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A write, and the publication that results from it, until the ownership is lost. Or an addition to a publication.
///
/// After a lost connection a publication is written again, as promises, under the change count that it had (see
/// ``Restoration``). It is *lost* from the end of the connection to the answer of the next broker.
final class WriteRequest: StreamSink {
    private struct State {
        /// The promises at the time of the write. Representations that are registered later belong to later writes.
        var items: [ProviderContents]
        var stream: UInt64?
        var handle: UInt64?
        var isWithdrawn = false
        /// The connection over which the contents were written last.
        var live: LiveConnection?
        /// The change count that the broker has assigned; nil before the commit.
        var changeCount: ChangeCount?
        /// The boards that the broker has cleared to make room for the write.
        var clearedBoards: [String] = []
        var isUnsaved = false
        /// The time of the first commit in microseconds (see `MonotonicClock.bootMicroseconds`).
        var committedAt: UInt64 = 0
        /// Resolved when the publication was restored or has ended; nil unless it is lost.
        var restored: SharedResult<Void>?
        /// Whether the contents are being written again.
        var isRestoring = false
        /// Results to resolve after unlocking.
        var finished: [SharedResult<Void>] = []
        /// The representations whose bytes this write sends.
        var keeps = Pasteboard.KeptRepresentations.nothing
        /// The representations whose bytes the broker has.
        var kept: Set<Place> = []
        /// The broker's reason for refusing the write.
        var refusal: PasteboardError?
        /// Whether the commit is on its way.
        var isCommitting = false
        /// Whether the next addition to the publication may begin.
        var hasEndedTurn = false
    }

    /// The position of a representation in the publication.
    struct Place: Hashable, Comparable {
        let item: Int
        let representation: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.item, one.representation) < (other.item, other.representation)
        }
    }

    let result = PendingResult<ChangeCount>()
    /// The way in which the ownership was lost.
    let end = SharedResult<Publication.End>()
    /// The order of the additions to this publication.
    let additions = CallOrder()
    private let state: Lock<State>
    /// The publication to which this request adds.
    private let target: WriteRequest?
    /// The promise whose bytes this addition hands over.
    private let handsOver: Place?
    /// Whether the contents are secret.
    let isConcealed: Bool
    /// nil if the publication ends with its connection.
    private let reclaim: Reclaim?
    /// The task that sends kept bytes.
    private let sending = HandlerTask()

    init(_ items: [ProviderContents], isConcealed: Bool = false, reclaim: Reclaim? = nil) {
        state = Lock(State(items: items))
        target = nil
        handsOver = nil
        self.isConcealed = isConcealed
        self.reclaim = reclaim
    }

    /// - Parameter place: the promise that the last item replaces with bytes; nil if representations are added.
    init(_ items: [ProviderContents], addingTo target: WriteRequest, handingOver place: Place? = nil) {
        state = Lock(State(items: items))
        self.target = target
        handsOver = place
        isConcealed = false
        reclaim = nil
    }

    var isCancelled: Bool {
        state.withLock { $0.changeCount == nil } ? result.isResolved : end.value != nil
    }

    var isPublication: Bool { target == nil }

    /// An addition that the broker may have made has to be known, because later asks and additions count its items.
    var endsWhenCancelled: Bool { isPublication || !state.withLock { $0.isCommitting } }

    /// The items of the publication, with those that were added.
    var items: [ProviderContents] { state.withLock { $0.items } }
    /// The representations of the publication that are still promised, in order.
    var promised: [Place] {
        state.withLock { state in
            state.items.indices.flatMap { item in
                state.items[item].representations.indices.map { Place(item: item, representation: $0) }
            }.filter { !state.kept.contains($0) }
        }
    }
    var isUnsaved: Bool { state.withLock { $0.isUnsaved } }
    var clearedBoards: [String] { state.withLock { $0.clearedBoards } }
    /// The broker's reason for refusing the write.
    var refusal: PasteboardError? { state.withLock { $0.refusal } }
    var stream: UInt64? { state.withLock { $0.stream } }
    /// The connection over which the contents were written last.
    var live: LiveConnection? { state.withLock { $0.live } }

    // MARK: Sending

    /// Opens the write and sends all its items.
    ///
    /// - Parameter budget: the number of bytes that may be sent.
    func send(
        keeping keeps: Pasteboard.KeptRepresentations,
        within budget: ByteBudget? = nil,
        over live: LiveConnection,
        on open: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) {
        state.withLock { state in
            state.live = live
            state.keeps = keeps
        }
        var writing = ItemWriting(items: items, keeps: keeps, live: live, budget: budget)
        writing.committing = { [weak self] in self?.state.withLock { $0.isCommitting = true } }
        guard keeps != .nothing else {
            return live.open(self) { [writing] state throws(Failure) in try writing.send(on: open, &state) }
        }
        sending.adopt(
            Task(executorPreference: ThreadPool.files) { [writing] in
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
        reclaim?.end(self)
    }

    /// Lets the next addition begin, unless the broker may still make this one.
    func endTurnUnlessCommitting() {
        if endsWhenCancelled { endTurn() }
    }

    /// Lets the next addition to the publication begin. A hand-over consists of several additions in one turn.
    private func endTurn() {
        guard let target, handsOver == nil, !state.withLock({ exchange(&$0.hasEndedTurn, with: true) }) else { return }
        target.additions.end()
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    // MARK: The publication

    /// The connection and the handle of the publication. If it is lost, waits until it is restored.
    ///
    /// - Throws: `superseded` if the ownership was lost.
    func current(for call: Call) async throws(PasteboardError) -> (live: LiveConnection, handle: UInt64) {
        if let restored = state.withLock({ $0.restored }) { try await restored.value(for: call) }
        let (live, handle) = state.withLock { ($0.live, $0.handle) }
        guard end.value == nil, let live, let handle else {
            throw PasteboardError(
                .superseded,
                message: "this program no longer owns these contents, so nothing can be added or handed over; write "
                    + "them again"
            )
        }
        return (live, handle)
    }

    /// Sets whether a clear of the pasteboard is this program's own, which is reported as
    /// ``Publication/End/withdrawn``.
    func withdraws(_ isWithdrawn: Bool) {
        state.withLock { $0.isWithdrawn = isWithdrawn }
    }

    /// Ends a publication that is lost as withdrawn.
    func withdrawIfLost() {
        guard state.withLock({ $0.restored != nil }) else { return }
        // Finished first, so that no restoration begins after this.
        finish(.withdrawn)
        // The contents may be on their way already. Then the broker has them without promises.
        live?.cancel(self)
    }

    /// Ends the promises, if the broker has refused to clear the pasteboard.
    func endPromises() {
        finish(.withdrawn)
        live?.cancel(self)
    }

    /// Ends the publication, because the broker has all of its bytes.
    func handedOver() { finish(.handedOver) }

    /// Ends the publication. Only the first end counts.
    private func finish(_ end: Publication.End) {
        reclaim?.end(self)
        self.end.resolve(end)
        state.withLock { exchange(&$0.restored, with: nil) }?.resolve(())
    }

    func handler(item: UInt32, representation: UInt32) -> DataHandler? {
        let items = items
        guard item < items.count, representation < items[Int(item)].representations.count else { return nil }
        return items[Int(item)].representations[Int(representation)].handler
    }

    /// Adds what the broker has added to the publication.
    private func merge(_ added: [ProviderContents], keeps: Pasteboard.KeptRepresentations) {
        state.withLock { state in
            for (index, item) in added.enumerated() {
                let count = index < state.items.count ? state.items[index].representations.count : 0
                for kept in keeps.indices(of: item) {
                    state.kept.insert(Place(item: index, representation: count + kept))
                }
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
            noteCommit(committed)
            // At once, because the broker may ask for one of these items next.
            let keeps = state.withLock { $0.keeps }
            if let handsOver {
                target?.state.withLock { _ = $0.kept.insert(handsOver) }
            } else {
                target?.merge(items, keeps: keeps)
            }
            effects.append(.deliver(.event(event), to: self))
        case .ended:
            effects.append(.deliver(.event(event), to: self))
        default: break
        }
    }

    func deliver(_ delivery: SinkDelivery) {
        switch delivery {
        case .event(.committed):
            let (changeCount, finished) = state.withLock { ($0.changeCount, exchange(&$0.finished, with: [])) }
            if let changeCount { result.resolve(.success(changeCount)) }
            for restored in finished { restored.resolve(()) }
            endTurn()
        case .event(.ended(_, let end)):
            finish(Publication.End(end.reason, isWithdrawn: state.withLock { $0.isWithdrawn }))
        case .failed(let failure):
            state.withLock { $0.refusal = PasteboardError(failure) }
            failed(PasteboardError(failure))
            endTurn()
        case .changed, .finished, .answered, .progress, .event:
            break
        }
    }

    /// Records the answer to the write, or to the restoration of the publication.
    private func noteCommit(_ committed: Committed) {
        let isNew = state.withLock { state in
            state.handle = committed.handle
            guard state.changeCount == nil else {
                state.isRestoring = false
                state.kept = []
                if let restored = exchange(&state.restored, with: nil) { state.finished.append(restored) }
                return false
            }
            state.changeCount = ChangeCount(committed)
            state.clearedBoards = committed.clearedBoards
            state.isUnsaved = committed.isUnsaved == true
            state.committedAt = MonotonicClock.bootMicroseconds()
            for (index, item) in state.items.enumerated() {
                for kept in state.keeps.indices(of: item) {
                    state.kept.insert(Place(item: index, representation: kept))
                }
            }
            return true
        }
        if isNew, isPublication { reclaim?.begin(self) }
    }
}

// MARK: - After a lost connection

extension WriteRequest: Restorable {
    func lost(_ failure: Failure, _ effects: inout [ConnectionEffect]) {
        guard reclaim?.includes(self) ?? false else { return failed(failure, &effects) }
        state.withLock { state in
            state.restored = state.restored ?? SharedResult()
            state.isRestoring = false
        }
    }

    func restore(over live: LiveConnection) {
        let known = state.withLock { state -> (items: [ProviderContents], changeCount: ChangeCount, age: UInt64)? in
            guard state.restored != nil, let changeCount = state.changeCount else { return nil }
            guard !exchange(&state.isRestoring, with: true) else { return nil }
            state.live = live
            let now = MonotonicClock.bootMicroseconds()
            return (state.items, changeCount, (now - min(now, state.committedAt)) / 1000)
        }
        guard let known, let reclaim else { return }
        guard let write = reclaim.write(known.changeCount, age: known.age) else { return finish(.expired) }
        // The same broker still has what it has kept. As promises the contents would end with this program.
        if promised.isEmpty, live.epoch == known.changeCount.epoch { return finish(.brokerGone) }
        // Kept representations are promised, too: their handlers still exist, and do not run without a load.
        let writing = ItemWriting(items: known.items, keeps: .nothing, live: live)
        live.open(self) { state throws(Failure) in
            try writing.send(on: { state throws(Failure) in try state.open(write) }, &state)
        }
    }

    func giveUp(_ error: PasteboardError) {
        finish(.brokerGone)
    }

    /// Handles the failure of the write, or of an attempt to restore the publication.
    private func failed(_ error: PasteboardError) {
        result.resolve(.failure(error))
        sending.cancel()
        let (live, isPublished) = state.withLock { state in
            state.isRestoring = false
            return (state.live, state.changeCount != nil)
        }
        if isPublished, error.code == .superseded { return finish(.replaced) }
        // A broker that is ending refuses requests before it ends the connection. The publication remains lost.
        let isTried = error.code == .brokerRestarted || live?.isOver ?? false
        if isTried, reclaim?.includes(self) ?? false { return }
        finish(.brokerGone)
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
