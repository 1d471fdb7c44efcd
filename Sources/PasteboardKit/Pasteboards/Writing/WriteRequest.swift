import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// A write and the publication that results from it, or an addition to a publication.
///
/// After a lost connection a publication is written again, as promises, under the change count that it had. It is
/// *lost* from the end of the connection to the answer of the next broker.
final class WriteRequest: StreamSink {
    private struct State {
        /// The promises at the time of the write. Representations that are registered later belong to later writes.
        var items: [ProviderContents]
        var handle: UInt64?
        var isWithdrawn = false
        /// The connection over which the contents were written last.
        var live: BrokerConnection?
        var standing: StandingWrite
        /// Resolved when the publication was restored or has ended; nil unless it is lost.
        var restored: SharedResult<Void>?
        /// Resolved with the loss of the contents at the present broker.
        var loss = SharedResult<RequestFailure>()
        /// Resolved when the broker has confirmed that the contents are written again.
        var again: PendingResult<Void>?
        /// The calls that tell those who wait of the restoration, after unlocking.
        var answers: [@Sendable () -> Void] = []
        /// The loss of the connection, if `event` is due to that.
        var lossOfEvent: Loss?
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
        /// Whether the commit was delivered.
        var isDelivered = false
        /// Whether the next addition to the publication may begin.
        var hasEndedTurn = false

        /// The change count that the broker has assigned; nil before the commit.
        var changeCount: ChangeCount? { standing.committed.map { ChangeCount($0) } }

        /// Records that the publication is lost.
        mutating func lose() { restored = restored ?? SharedResult() }
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
    private let brokers: Brokers?
    /// The task that writes the contents again.
    private let restoring = HandlerTask()
    /// The task that sends kept bytes.
    private let sending = HandlerTask()

    init(_ items: [ProviderContents], _ standing: StandingWrite, at brokers: Brokers) {
        state = Lock(State(items: items, standing: standing))
        target = nil
        handsOver = nil
        self.brokers = standing.verb == .standing ? brokers : nil
    }

    /// - Parameter place: the promise that the last item replaces with bytes; nil if representations are added.
    init(_ items: [ProviderContents], addingTo target: WriteRequest, handingOver place: Place? = nil) {
        state = Lock(State(items: items, standing: StandingWrite(Write(), endsWithBroker: true)))
        self.target = target
        handsOver = place
        brokers = nil
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
        // It may be committed already.
        if isPublication { finish(.withdrawn) }
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

    // MARK: The publication

    /// The connection and the handle of the publication. If it is lost, waits until it is restored.
    ///
    /// - Throws: `superseded` if the ownership was lost.
    func current(for call: Call) async throws(PasteboardError) -> (live: BrokerConnection, handle: UInt64) {
        if end.value == nil, let restored = state.withLock(\.restored) { try await restored.value(for: call) }
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
    var isRestorable: Bool { brokers != nil && end.value == nil && state.withLock { $0.isDelivered } }

    /// Records that the publication is lost with a connection, also one whose broker only refuses requests: it ends
    /// soon. Does nothing if the publication is at the next broker already, or has ended.
    func lose(over live: BrokerConnection) {
        let loss = state.withLock { state -> SharedResult<RequestFailure>? in
            guard state.live === live, end.value == nil else { return nil }
            state.lose()
            return state.loss
        }
        let failure = Failure(.brokerRestarted, "the broker takes no more contents")
        loss?.resolve(RequestFailure(failure, live.failure?.loss ?? .refused, at: .standing))
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
        self.end.resolve(end)
        restoring.cancel()
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
        let (changeCount, live, isFirst, answers, event) = state.withLock { state in
            let changeCount = state.changeCount
            let isFirst = changeCount != nil && !exchange(&state.isDelivered, with: true)
            return (changeCount, state.live, isFirst, exchange(&state.answers, with: []), state.event.take())
        }
        for answer in answers { answer() }
        if let changeCount {
            if isFirst, let live, let brokers, end.value == nil { stand(at: live, of: brokers) }
            result.resolve(.success(changeCount))
            endTurn()
        }
        switch event {
        case .ended(_, let end):
            finish(Publication.Outcome(end.reason, isWithdrawn: state.withLock { $0.isWithdrawn }))
        case .failed(_, let failure):
            state.withLock { $0.refusal = PasteboardError(failure) }
            end(
                PasteboardError(failure),
                RequestFailure(failure, state.withLock { $0.lossOfEvent.take() } ?? Loss(failure), at: .standing)
            )
            endTurn()
        default: break
        }
    }

    /// Records the answer to the write, or to the restoration of the publication.
    private func recordCommit(_ committed: Committed) {
        state.withLock { state in
            state.handle = committed.handle
            guard state.standing.committed == nil else {
                state.kept = []
                state.answers.append { [restored = state.restored.take(), again = state.again.take()] in
                    restored?.resolve(())
                    again?.resolve(.success(()))
                }
                return
            }
            state.standing.commit(committed, at: MonotonicClock.bootMicroseconds())
            for (index, item) in state.items.enumerated() {
                for kept in state.keeps.indices(of: item) {
                    state.kept.insert(Place(item: index, representation: kept))
                }
            }
        }
    }
}

// MARK: - After a lost connection

extension WriteRequest {
    func lost(_ failure: Failure, _ loss: Loss) {
        state.withLock { state in
            (state.event, state.lossOfEvent) = (.failed(0, failure), loss)
            if brokers != nil, state.changeCount != nil, end.value == nil { state.lose() }
        }
    }

    /// Writes the contents again after each loss, until they end.
    private func stand(at first: BrokerConnection, of brokers: Brokers) {
        let stood = brokers.stand(at: first)
        restoring.adopt(
            Task.detached(executorPreference: ThreadPool.calls) {
                do {
                    try await brokers.standing(Recovery(.standing, survivesStop: true), since: stood) {
                        connection,
                        stands in
                        if connection !== first { try await self.write(over: connection) }
                        stands()
                        throw await self.loss()
                    }
                } catch {
                    let isReplaced = (error as? Failure)?.code == .superseded
                    self.finish(isReplaced ? .replaced : .brokerGone)
                }
            }
        )
    }

    /// Waits for the loss of the contents at the present broker.
    private func loss() async -> RequestFailure {
        let loss = state.withLock { $0.loss }
        return (try? await loss.value(for: Call("the wait for a loss")))
            ?? RequestFailure(Failure(.cancelled, "the contents have ended"), .other, at: .standing)
    }

    /// Writes the contents again, as promises: the handlers of kept representations still exist, and do not run without
    /// a load.
    private func write(over live: BrokerConnection) async throws {
        let again = PendingResult<Void>()
        let (items, write) = state.withLock { state -> ([ProviderContents], Write?) in
            (state.live, state.loss, state.again) = (live, SharedResult(), again)
            return (state.items, state.standing.again(at: MonotonicClock.bootMicroseconds()))
        }
        let ended = Failure(.cancelled, "the contents have ended")
        guard let write else {
            finish(.expired)
            throw ended
        }
        // The same broker still has what it has kept. As promises the contents would end with this program.
        if promised.isEmpty, live.epoch == write.reclaimsEpoch {
            finish(.brokerGone)
            throw ended
        }
        let writing = ItemWriting(items: items, keeps: .nothing, live: live)
        live.open(self) { state throws(Failure) in
            try writing.begin(on: { state throws(Failure) in try state.open(write) }, &state)
        }
        if (try? await again.value(onCancel: { again.resolve(.failure(.cancelled)) })) == nil { throw await loss() }
    }

    /// Handles the failure of the write, or the loss of what stands.
    private func end(_ error: PasteboardError, _ failure: RequestFailure) {
        result.resolve(.failure(error))
        sending.cancel()
        let (isPublished, loss, again) = state.withLock { state in
            (state.changeCount != nil, state.loss, state.again.take())
        }
        // Here, too, because a process created by fork has no thread that runs the task of what stands.
        let isFinal = Recovery.rule(for: .standing, at: .standing, after: failure.loss) == .fail
        if brokers == nil || !isPublished || isFinal {
            finish(isPublished && error.code == .superseded ? .replaced : .brokerGone)
        }
        loss.resolve(failure)
        again?.resolve(.failure(error))
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
