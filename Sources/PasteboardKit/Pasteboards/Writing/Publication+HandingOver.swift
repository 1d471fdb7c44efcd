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
    /// - Throws: `superseded` if the ownership was lost; `broker-restarted` if that was with the broker, and the
    ///   contents cannot be written again; `concealed` for concealed contents, which end with their source; the
    ///   broker's error, such as `limit-exceeded`, if it has refused bytes and kept none; `version-mismatch` if the
    ///   broker cannot take promises over; `timeout` if the contents could not be restored in time after a lost
    ///   connection; `cancelled` if the task is cancelled: then some of the bytes may have been handed over.
    @discardableResult
    public func handOver(
        types: [UniformType]? = nil,
        maximumByteCount: Int64 = 64 << 20,
        timeout: Duration = .seconds(5)
    ) async throws(PasteboardError) -> HandOver {
        guard !contents.isConcealed else {
            throw PasteboardError(
                .concealed,
                message: "these contents are concealed, and end with this program: they cannot be handed over"
            )
        }
        let call = Call("the hand-over of the contents", timeout: timeout)
        try pasteboard.connection.checkProcess()
        // An addition would move the representations.
        try await contents.additions.acquire(for: call)
        defer { contents.additions.release() }
        _ = try await contents.current(for: call)
        let items = contents.items.all
        let all = PublishedItems.Place.all(in: items.map(\.representations.count))
        let wanted = all.filter { types?.contains(items[$0.item].representations[$0.representation].type) ?? true }
        let driver = HandingOver(
            wanted,
            of: contents.offer,
            types: items.map { $0.representations.map(\.type.identifier) },
            byteLimit: UInt64(max(0, maximumByteCount)),
            until: call.end
        ) { [published = contents.items] place, placement, acquire in
            try await published.handOver(place, at: placement, for: call, acquire)
        }
        let placement: Offer.Placement?
        do throws(Failure) {
            placement = try await driver.run()
        } catch {
            throw call.isOver ? call.timedOut : PasteboardError(error)
        }
        if Task.isCancelled { throw call.cancelled }
        // The offer is over, so this throws. Contents that are not written again have the error of the loss.
        if placement == nil, contents.offer.isRestorable { _ = try await contents.current(for: call) }
        if let refusal = driver.refusal { throw PasteboardError(refusal) }
        guard let placement else {
            throw PasteboardError(
                .brokerRestarted,
                message: "the contents were lost with their broker, or have ended; write them again"
            )
        }
        if placement.connection === contents.offer.last?.connection { contents.items.keep(driver.handOver.kept) }

        let promised = Set(contents.items.promised)
        let dropped = Self.types(of: wanted.filter(promised.contains), in: items)
        let kept = Self.types(of: wanted.filter { !promised.contains($0) }, in: items)
        if promised.isEmpty { contents.handedOver() }
        return HandOver(kept: kept.filter { !dropped.contains($0) }, dropped: dropped)
    }

    private static func types(of places: [PublishedItems.Place], in items: [ProviderContents]) -> [UniformType] {
        var types: [UniformType] = []
        for place in places {
            let type = items[place.item].representations[place.representation].type
            if !types.contains(type) { types.append(type) }
        }
        return types
    }
}

extension PublishedItems {
    /// Replaces a promise at a broker with its bytes.
    fileprivate func handOver(
        _ place: Place,
        at placement: Offer.Placement,
        for call: Call,
        _ acquire: @escaping @Sendable (UInt64) -> Bool
    ) async throws {
        // Items without representations change nothing.
        var added = Array(repeating: ProviderContents(), count: place.item + 1)
        added[place.item].representations = [all[place.item].representations[place.representation]]
        var writing = ItemWriting(items: added, keeps: .everything, live: placement.connection, call: call)
        writing.acquireRoom = { (count) throws(PasteboardError) in
            if !acquire(count) {
                throw PasteboardError(.tooLarge, message: "the bytes exceed the limit of the hand-over")
            }
        }
        let write = PasteboardClient.HandOver.addition(to: placement.committed.handle)
        let stream = try await writing.send { state throws(Failure) in try state.open(write) }
        try await stream.published().leave()
        keep([place])
    }
}
