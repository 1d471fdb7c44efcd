import PasteboardClient
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

    /// The number of handlers of a hand-over that run at the same time.
    private static let handlersAtOnce = 16

    /// Hands the bytes of the promises over to the broker, so that they can be loaded after this program has ended.
    ///
    /// The handlers of all promises run now, up to 16 at the same time, and the broker keeps their bytes, each as soon
    /// as it is complete. The change count stays. Then the call waits until the loads of these contents that are under
    /// way have ended, because this program serves them. If the broker then has everything, the publication ends as
    /// ``End/handedOver``. A program calls this before it exits:
    ///
    /// ```swift
    /// let outcome = try await publication.handOver()
    /// if !outcome.isComplete { print("lost with this program:", outcome.dropped) }
    /// ```
    ///
    /// - Parameters:
    ///   - types: the types to hand over; nil: all. Other promises stay promises.
    ///   - byteLimit: the number of bytes that may be sent in all. A representation that exceeds what the others have
    ///     left of it is dropped. The bytes of a stream take from the limit until the stream is dropped.
    ///   - deadline: the maximum duration of the call. What is not complete by then is dropped; a handler that does not
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
        byteLimit: Int64 = 64 << 20,
        deadline: Duration = .seconds(5)
    ) async throws(PasteboardError) -> HandOver {
        guard !request.isConcealed else {
            throw PasteboardError(
                .concealed,
                message: "these contents are concealed, and end with this program: they cannot be handed over"
            )
        }
        let call = Call("the hand-over of the contents", timeout: deadline)
        // An addition would move the representations.
        try await request.additions.take(for: call)
        defer { request.additions.end() }
        let (live, handle) = try await request.current(for: call)
        let items = request.items
        let isWanted = { (place: WriteRequest.Place) in
            types?.contains(items[place.item].representations[place.representation].type) ?? true
        }
        let additions = request.promised.filter(isWanted).map { place in
            HandedOver(place, of: items, handle: handle, to: request, over: live)
        }
        await Self.send(additions, within: ByteBudget(byteLimit), for: call)
        if Task.isCancelled { throw call.cancelled }
        try check(additions)
        await live.answersEnded(of: request, by: call.deadline)

        let promised = Set(request.promised)
        let wanted = items.indices.flatMap { item in
            items[item].representations.indices.map { WriteRequest.Place(item: item, representation: $0) }
        }.filter(isWanted)
        let dropped = Self.types(of: wanted.filter(promised.contains), in: items)
        let kept = Self.types(of: wanted.filter { !promised.contains($0) }, in: items)
        if promised.isEmpty { request.handedOver() }
        return HandOver(kept: kept.filter { !dropped.contains($0) }, dropped: dropped)
    }

    private static func send(_ additions: [HandedOver], within budget: ByteBudget, for call: Call) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, addition) in additions.enumerated() {
                if index >= handlersAtOnce { await group.next() }
                group.addTask { await addition.send(within: budget, for: call) }
            }
        }
    }

    /// Throws the reason why nothing was handed over.
    private func check(_ additions: [HandedOver]) throws(PasteboardError) {
        let refusals = additions.compactMap(\.addition.refusal)
        if let lost = refusals.first(where: { $0.code == .superseded }) { throw lost }
        // Nothing was kept.
        if let refusal = refusals.first, !additions.contains(where: \.isKept) { throw refusal }
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

/// The addition that replaces one promise with its bytes.
private struct HandedOver: Sendable {
    let addition: WriteRequest
    private let place: WriteRequest.Place
    private let handle: UInt64
    private let publication: WriteRequest
    private let live: LiveConnection

    init(
        _ place: WriteRequest.Place,
        of items: [ProviderContents],
        handle: UInt64,
        to publication: WriteRequest,
        over live: LiveConnection
    ) {
        // Items without representations change nothing.
        var added = Array(repeating: ProviderContents(), count: place.item + 1)
        added[place.item].representations = [items[place.item].representations[place.representation]]
        addition = WriteRequest(added, addingTo: publication, handingOver: place)
        self.place = place
        self.handle = handle
        self.publication = publication
        self.live = live
    }

    var isKept: Bool { !publication.promised.contains(place) }

    func send(within budget: ByteBudget, for call: Call) async {
        var write = Write()
        write.handle = handle
        write.keepsPromises = true
        write.requires = [Feature.additions.rawValue, Feature.handOver.rawValue]
        _ = try? await addition.result.value(for: call) {
            addition.cancel(over: live)
        } start: {
            addition.send(keeping: .everything, within: budget, over: live) { [write] state throws(Failure) in
                try state.open(write)
            }
        }
    }
}
