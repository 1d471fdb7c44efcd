import PasteboardClient
import PasteboardTransport
import PasteboardWire

extension Publication {
    /// The outcome of a hand-over.
    public struct HandOver: Sendable, Hashable {
        /// The types whose bytes the broker has now, in all items that have them, in the order of the items.
        public let kept: [UniformType]
        /// The types of which a promise is left in at least one item: the handler has failed or did not end in time, or
        /// the bytes exceed the limit or the room of the broker.
        public let dropped: [UniformType]

        /// Whether the broker has all bytes that were to be handed over.
        public var isComplete: Bool { dropped.isEmpty }
    }

    /// Hands the bytes of the promises over to the broker, so that they can be loaded after this program has ended.
    ///
    /// The handlers of all promises run now, up to 16 at the same time, and the broker keeps their bytes, each as soon
    /// as it is complete. The change count stays. If the broker is lost meanwhile, the hand-over continues at the next
    /// one, with what that one does not keep; then a handler may run again. In the end the call waits until the loads
    /// of these contents that are under way have ended, because this program serves them. If the broker then has
    /// everything, the publication ends as ``Outcome/handedOver``. A program calls this before it exits:
    ///
    /// ```swift
    /// let outcome = try await publication.handOver()
    /// if !outcome.isComplete { print("lost with this program:", outcome.dropped) }
    /// ```
    ///
    /// - Parameters:
    ///   - types: the types to hand over; nil: all. Other promises stay promises.
    ///   - maximumByteCount: the number of bytes that may be sent in all. A representation that exceeds what the others
    ///   have left of it is dropped. The bytes of a stream take from the limit until the stream is dropped.
    ///   - timeout: the maximum duration of the call. What is not complete by then is dropped; a handler that does not
    ///     end does not delay the others.
    /// - Returns: the types that the broker has, and those that were dropped.
    /// - Throws: `superseded` if the ownership was lost; `concealed` for concealed contents, which end with their
    ///   source; the broker's error, such as `limit-exceeded`, if it has refused bytes and kept none;
    ///   `version-mismatch` if the broker cannot take promises over; `timeout` if the contents could not be restored in
    ///   time after a lost connection; `cancelled` if the task is cancelled: then some of the bytes may have been
    ///   handed over.
    @discardableResult
    public func handOver(
        types: [UniformType]? = nil,
        maximumByteCount: Int64 = 64 << 20,
        timeout: Duration = .seconds(5)
    ) async throws(PasteboardError) -> HandOver {
        guard !request.isConcealed else {
            throw PasteboardError(
                .concealed,
                message: "these contents are concealed, and end with this program: they cannot be handed over"
            )
        }
        let call = Call("the hand-over of the contents", timeout: timeout)
        // An addition would move the representations.
        try await request.additions.acquire(for: call)
        defer { request.additions.release() }
        let items = request.items
        let wanted = WriteRequest.places(in: items).filter { place in
            types?.contains(items[place.item].representations[place.representation].type) ?? true
        }
        let additions = HandedOver(
            PasteboardClient.HandOver(wanted, byteLimit: UInt64(max(0, maximumByteCount)), deadline: .max),
            of: items,
            for: call
        )
        var (live, handle) = try await request.current(for: call)
        var earlier: [BrokerConnection] = []
        while await additions.add(to: request, handle, over: live), request.isRestorable {
            live.forget(request)
            request.lose(over: live)
            earlier.append(live)
            // A broker that only refuses requests ends the connection when the loads on it have ended.
            if !live.isOver { _ = try? await pasteboard.connection.liveConnection(after: live, for: call) }
            (live, handle) = try await request.current(for: call)
            request.keep(try await kept(handle, of: items, over: live, for: call))
        }
        if Task.isCancelled { throw call.cancelled }
        if let error = additions.refusal { throw error }
        for live in earlier + [live] { await live.answersEnded(of: request, by: call.deadline) }

        let promised = Set(request.promised)
        let dropped = Self.types(of: wanted.filter(promised.contains), in: items)
        let kept = Self.types(of: wanted.filter { !promised.contains($0) }, in: items)
        if promised.isEmpty { request.finish(.handedOver) }
        return HandOver(kept: kept.filter { !dropped.contains($0) }, dropped: dropped)
    }

    /// The promises whose bytes a broker has that the contents have come back to.
    private func kept(
        _ handle: UInt64,
        of items: [ProviderContents],
        over live: BrokerConnection,
        for call: Call
    ) async throws(PasteboardError) -> Set<WriteRequest.Place> {
        let list = ListOperation(request.board ?? BoardName.general, settles: false)
        let answer = try? await Question.request(of: list).answer(over: live, for: call)
        guard case .listed(let listed)? = answer?.1, listed.contents.handle == handle else { return [] }
        let types = items.map { $0.representations.map(\.type.identifier) }
        return PasteboardClient.HandOver.kept(of: types, in: listed.items)
    }

    private static func types(of places: [WriteRequest.Place], in items: [ProviderContents]) -> [UniformType] {
        var types: [UniformType] = []
        for place in places {
            let type = items[place.item].representations[place.representation].type
            if !types.contains(type) { types.append(type) }
        }
        return types
    }
}

/// The additions of one hand-over. Each replaces a promise with its bytes.
private final class HandedOver: Sendable {
    private struct State {
        var handOver: PasteboardClient.HandOver
        /// Whether the broker was lost or ends, so that nothing more can be handed over to it.
        var isLost = false
        /// Whether the broker has confirmed that it has the bytes of a promise.
        var hasKept = false
        /// The broker's reason for refusing bytes.
        var refusal: PasteboardError?
    }

    private let state: Lock<State>
    private let items: [ProviderContents]
    private let call: Call

    init(_ handOver: PasteboardClient.HandOver, of items: [ProviderContents], for call: Call) {
        state = Lock(State(handOver: handOver))
        self.items = items
        self.call = call
    }

    /// The reason why nothing was handed over, or why nothing more can be; nil if neither is so.
    var refusal: PasteboardError? {
        state.withLock { state in
            guard let refusal = state.refusal else { return nil }
            return refusal.code == .superseded || !state.hasKept ? refusal : nil
        }
    }

    /// Hands over what the broker does not have.
    ///
    /// - Returns: whether the broker was lost meanwhile, or ends.
    func add(to publication: WriteRequest, _ handle: UInt64, over live: BrokerConnection) async -> Bool {
        let promised = Set(publication.promised)
        state.withLock { state in
            state.handOver.begin(keeping: Set(state.handOver.promises).subtracting(promised))
            (state.isLost, state.hasKept, state.refusal) = (false, false, nil)
        }
        await withTaskGroup(of: Void.self) { group in
            while true {
                switch state.withLock({ $0.isLost ? .over : $0.handOver.next(at: MonotonicClock.now()) }) {
                case .make(let place): group.addTask { await self.add(place, to: publication, handle, over: live) }
                case .wait: await group.next()
                case .over: return
                }
            }
        }
        return state.withLock { $0.isLost }
    }

    private func add(
        _ place: WriteRequest.Place,
        to publication: WriteRequest,
        _ handle: UInt64,
        over live: BrokerConnection
    ) async {
        // Items without representations change nothing.
        var added = Array(repeating: ProviderContents(), count: place.item + 1)
        added[place.item].representations = [items[place.item].representations[place.representation]]
        let addition = WriteRequest(added, addingTo: publication, handingOver: place)
        let acquireRoom: ItemWriting.Room = { (count) throws(PasteboardError) in try self.acquire(count, of: place) }
        do throws(PasteboardError) {
            _ = try await addition.result.value(for: call) {
                addition.cancel(over: live)
            } start: {
                addition.send(keeping: .everything, within: acquireRoom, over: live) {
                    state throws(Failure) in
                    try state.open(PasteboardClient.HandOver.addition(to: handle))
                }
            }
            state.withLock { state in
                state.hasKept = true
                state.handOver.keep(place)
            }
        } catch {
            let refusal = addition.refusal
            // A broker that ends refuses requests before it ends the connection.
            let isLost = refusal.map { live.loss(of: $0) != .other } ?? false || live.isOver
            state.withLock { state in
                state.refusal = state.refusal?.code == .superseded ? state.refusal : refusal ?? state.refusal
                if isLost { state.isLost = true } else { state.handOver.drop(place, error.message) }
            }
        }
    }

    private func acquire(_ count: UInt64, of place: WriteRequest.Place) throws(PasteboardError) {
        guard state.withLock({ $0.handOver.acquire(count, of: place) }) else {
            throw PasteboardError(.tooLarge, message: "the bytes exceed the limit of the hand-over")
        }
    }
}
