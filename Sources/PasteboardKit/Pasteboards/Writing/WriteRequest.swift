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
        var live: BrokerConnection?
        var standing: StandingWrite
        /// Resolved when the publication was restored or has ended; nil unless it is lost.
        var restored: SharedResult<Void>?
        /// Whether the contents are being written again.
        var isRestoring = false
        /// Results to resolve after unlocking.
        var finished: [SharedResult<Void>] = []
        /// The end of the publication, or the failure of a write, that is to be delivered.
        var event: ClientEvent?
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

        /// The change count that the broker has assigned; nil before the commit.
        var changeCount: ChangeCount? { standing.committed.map { ChangeCount($0) } }

        /// Records that the publication is lost, or that an attempt to restore it has failed.
        mutating func lose() {
            restored = restored ?? SharedResult()
            isRestoring = false
        }
    }

    /// The position of a representation in the publication.
    typealias Place = HandOver.Promise

    let result = PendingResult<ChangeCount>()
    /// The way in which the ownership was lost.
    let end = SharedResult<Publication.Outcome>()
    /// The order of the additions to this publication.
    let additions = CallOrder()
    private let state: Lock<State>
    /// The publication to which this request adds.
    private let target: WriteRequest?
    /// The promise whose bytes this addition hands over.
    private let handsOver: Place?
    /// nil if the publication ends with its connection.
    private let restoration: Restoration?
    /// The task that sends kept bytes.
    private let sending = HandlerTask()

    init(_ items: [ProviderContents], _ standing: StandingWrite, restoration: Restoration) {
        state = Lock(State(items: items, standing: standing))
        target = nil
        handsOver = nil
        self.restoration = standing.verb == .standing ? restoration : nil
    }

    /// - Parameter place: the promise that the last item replaces with bytes; nil if representations are added.
    init(_ items: [ProviderContents], addingTo target: WriteRequest, handingOver place: Place? = nil) {
        state = Lock(State(items: items, standing: StandingWrite(Write(), endsWithBroker: true)))
        self.target = target
        handsOver = place
        restoration = nil
    }

    var isCancelled: Bool {
        state.withLock { $0.changeCount == nil } ? result.isResolved : end.value != nil
    }

    var isPublication: Bool { target == nil }

    /// An addition that the broker may have made has to be known, because later asks and additions count its items.
    var endsWhenCancelled: Bool { isPublication || !state.withLock { $0.isCommitting } }

    /// The items of the publication, with those that were added.
    var items: [ProviderContents] { state.withLock { $0.items } }
    /// Whether the contents are secret.
    var isConcealed: Bool { state.withLock { $0.standing.write.terms?.isConcealed } ?? false }
    /// The representations of the publication that are still promised, in order.
    var promised: [Place] {
        let (items, kept) = state.withLock { ($0.items, $0.kept) }
        return Self.places(in: items).filter { !kept.contains($0) }
    }

    static func places(in items: [ProviderContents]) -> [Place] {
        items.indices.flatMap { item in
            items[item].representations.indices.map { Place(item: item, representation: $0) }
        }
    }

    /// The progress before the answer. A write has no effect before its commit.
    var reached: Recovery.Reached { state.withLock { $0.isCommitting } ? .request : .uncommitted }
    var isUnsaved: Bool { state.withLock { $0.standing.committed }?.isUnsaved == true }
    /// The boards that the broker has cleared to make room for the write.
    var clearedBoards: [String] { state.withLock { $0.standing.committed }?.clearedBoards ?? [] }
    /// The broker's reason for refusing the write.
    var refusal: PasteboardError? { state.withLock { $0.refusal } }
    var stream: UInt64? { state.withLock { $0.stream } }
    /// The connection over which the contents were written last.
    var live: BrokerConnection? { state.withLock { $0.live } }

    // MARK: Sending

    /// Opens the write and sends all its items.
    ///
    /// - Parameter acquireRoom: acquires room for bytes before they are sent, or throws if there is none.
    func send(
        keeping keeps: Pasteboard.KeptRepresentations,
        within acquireRoom: ItemWriting.Room? = nil,
        over live: BrokerConnection,
        on open: @escaping @Sendable (inout ClientState) throws(Failure) -> UInt64
    ) {
        state.withLock { state in
            state.live = live
            state.keeps = keeps
        }
        var writing = ItemWriting(items: items, keeps: keeps, live: live, acquireRoom: acquireRoom)
        writing.committing = { [weak self] in self?.state.withLock { $0.isCommitting = true } }
        guard keeps != .nothing else {
            live.open(self) { [writing] state throws(Failure) in try writing.begin(on: open, &state) }
            return
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
    func cancel(over live: BrokerConnection) {
        sending.cancel()
        live.cancel(self)
        restoration?.remove(self)
    }

    /// Lets the next addition begin, unless the broker may still make this one.
    func endTurnUnlessCommitting() {
        if endsWhenCancelled { endTurn() }
    }

    /// Lets the next addition to the publication begin. A hand-over consists of several additions in one turn.
    private func endTurn() {
        guard let target, handsOver == nil, !state.withLock({ exchange(&$0.hasEndedTurn, with: true) }) else { return }
        target.additions.release()
    }

    func opened(_ stream: UInt64) {
        state.withLock { $0.stream = stream }
    }

    // MARK: The publication

    /// The connection and the handle of the publication. If it is lost, waits until it is restored.
    ///
    /// - Throws: `superseded` if the ownership was lost.
    func current(for call: Call) async throws(PasteboardError) -> (live: BrokerConnection, handle: UInt64) {
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

    var board: String? { state.withLock { $0.standing.write.board } }

    /// Whether the publication is restored after a lost connection.
    var isRestorable: Bool { restoration?.contains(self) ?? false }

    /// Records that the publication is lost with a connection, also one whose broker only refuses requests: it ends
    /// soon. Does nothing if the publication is at the next broker already, or has ended.
    func lose(over live: BrokerConnection) {
        state.withLock { if $0.live === live, end.value == nil { $0.lose() } }
    }

    /// Records that the broker has the bytes of promises.
    func keep(_ kept: Set<Place>) {
        state.withLock { $0.kept.formUnion(kept) }
    }

    /// Sets whether a clear of the pasteboard is this program's own, which is reported as
    /// ``Publication/Outcome/withdrawn``.
    func withdraws(_ isWithdrawn: Bool) {
        state.withLock { $0.isWithdrawn = isWithdrawn }
    }

    /// Ends a publication that is lost as withdrawn.
    func withdrawIfLost() {
        if state.withLock({ $0.restored != nil }) { endPromises() }
    }

    /// Ends the publication as withdrawn, without the broker: it is lost, or the broker has refused to clear the
    /// pasteboard.
    func endPromises() {
        // Finished first, so that no restoration begins after this.
        finish(.withdrawn)
        // The contents may be on their way already. Then the broker has them without promises.
        live?.cancel(self)
    }

    /// Ends the publication. Only the first end counts.
    func finish(_ end: Publication.Outcome) {
        restoration?.remove(self)
        self.end.resolve(end)
        state.withLock { exchange(&$0.restored, with: nil) }?.resolve(())
    }

    func asked(_ ask: AskFields, on stream: StreamReference) -> (any AskWork)? {
        handler(item: ask.item, representation: ask.representation).map { AskAnswer(ask, on: stream, with: $0) }
    }

    private func handler(item: UInt32, representation: UInt32) -> DataHandler? {
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

    func handle(_ event: ClientEvent, in bytes: Span<UInt8>, of memory: ReadMemory?, _: inout ClientState) -> Bool {
        switch event {
        case .committed(_, let committed):
            recordCommit(committed)
            // At once, because the broker may ask for one of these items next.
            let keeps = state.withLock { $0.keeps }
            if let handsOver {
                target?.keep([handsOver])
            } else {
                target?.merge(items, keeps: keeps)
            }
        case .ended: state.withLock { $0.event = event }
        default: break
        }
        return true
    }

    func failed(_ failure: Failure) {
        state.withLock { $0.event = .failed(0, failure) }
    }

    func deliver() {
        let (changeCount, finished, event) = state.withLock { state in
            (state.changeCount, exchange(&state.finished, with: []), state.event.take())
        }
        if let changeCount {
            result.resolve(.success(changeCount))
            for restored in finished { restored.resolve(()) }
            endTurn()
        }
        switch event {
        case .ended(_, let end):
            finish(Publication.Outcome(end.reason, isWithdrawn: state.withLock { $0.isWithdrawn }))
        case .failed(_, let failure):
            state.withLock { $0.refusal = PasteboardError(failure) }
            failed(PasteboardError(failure))
            endTurn()
        default: break
        }
    }

    /// Records the answer to the write, or to the restoration of the publication.
    private func recordCommit(_ committed: Committed) {
        let isNew = state.withLock { state in
            state.handle = committed.handle
            guard state.standing.committed == nil else {
                state.isRestoring = false
                state.kept = []
                if let restored = exchange(&state.restored, with: nil) { state.finished.append(restored) }
                return false
            }
            state.standing.commit(committed, at: MonotonicClock.bootMicroseconds())
            for (index, item) in state.items.enumerated() {
                for kept in state.keeps.indices(of: item) {
                    state.kept.insert(Place(item: index, representation: kept))
                }
            }
            return true
        }
        if isNew { restoration?.add(self) }
    }
}

// MARK: - After a lost connection

extension WriteRequest: Restorable {
    func lost(_ failure: Failure) {
        guard restoration?.contains(self) ?? false else { return failed(failure) }
        state.withLock { $0.lose() }
    }

    func restore(over live: BrokerConnection) {
        let known = state.withLock { state -> (items: [ProviderContents], write: Write?)? in
            guard state.restored != nil, !exchange(&state.isRestoring, with: true) else { return nil }
            state.live = live
            return (state.items, state.standing.again(at: MonotonicClock.bootMicroseconds()))
        }
        guard let known else { return }
        guard let write = known.write else { return finish(.expired) }
        // The same broker still has what it has kept. As promises the contents would end with this program.
        if promised.isEmpty, live.epoch == write.reclaimsEpoch { return finish(.brokerGone) }
        // Kept representations are promised, too: their handlers still exist, and do not run without a load.
        let writing = ItemWriting(items: known.items, keeps: .nothing, live: live)
        live.open(self) { state throws(Failure) in
            try writing.begin(on: { state throws(Failure) in try state.open(write) }, &state)
        }
    }

    func giveUp(_ error: PasteboardError) {
        finish(.brokerGone)
    }

    /// Handles the failure of the write, or of an attempt to restore the publication.
    private func failed(_ error: PasteboardError) {
        result.resolve(.failure(error))
        sending.cancel()
        if restoration?.keeps(self, after: error, over: live) ?? false { return state.withLock { $0.lose() } }
        let isPublished = state.withLock { $0.changeCount != nil }
        finish(isPublished && error.code == .superseded ? .replaced : .brokerGone)
    }
}

extension Publication.Outcome {
    fileprivate init(_ reason: EndReason?, isWithdrawn: Bool) {
        switch reason {
        case .cleared: self = isWithdrawn ? .withdrawn : .cleared
        case .expired: self = .expired
        case .loaded: self = .loaded
        default: self = .replaced
        }
    }
}
