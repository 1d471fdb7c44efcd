import PasteboardTransport
package import PasteboardWire

/// The driver of ``HandOver``: hands the bytes of an offer's promises over to the broker, so that they can be loaded
/// after this program has ended.
///
/// Bytes are made up to 16 at the same time, and kept as soon as they are complete, so that one that takes too long
/// does not delay the others. Loads that are under way continue. If the broker is lost meanwhile, it continues at the
/// next one, with what that one does not keep.
package final class HandingOver: Sendable {
    /// Makes the bytes of a promise. Before it takes more bytes, it acquires room for them, and fails if there is none.
    package typealias Maker =
        @Sendable (
            HandOver.Promise, _ acquire: @Sendable (UInt64) -> Bool
        ) async throws -> MadeBytes

    private let offer: Offer
    private let make: Maker
    private let state: Lock<HandOver>
    private let deadline: UInt64

    /// - Parameter deadline: the time at which the rest is dropped (see `MonotonicClock`).
    package init(of offer: Offer, until deadline: UInt64, _ make: @escaping Maker) {
        self.offer = offer
        self.make = make
        self.deadline = deadline
        let promises = offer.items.enumerated().flatMap { item, message in
            message.representations.indices.map { HandOver.Promise(item: item, representation: $0) }
        }
        state = Lock(HandOver(promises, deadline: deadline))
    }

    /// The result so far.
    package var handOver: HandOver { state.withLock { $0 } }

    /// Drops what is not kept.
    package func dropRest(_ reason: String) { state.withLock { $0.dropRest(reason) } }

    /// Hands over until all bytes are kept or dropped, and no load is under way any more.
    ///
    /// - Throws: `broker-unavailable` if the broker was lost and there was no other one in time.
    package func run() async throws(Failure) {
        // The delay between attempts may have grown.
        offer.brokers.hurry()
        var lost: BrokerConnection?
        while let placement = await offer.current(after: lost, until: deadline) {
            // A broker that does not answer must not delay the exit.
            placement.connection.limitSilence(to: 2_000, 500)
            do throws(RequestFailure) {
                let kept = try await kept(at: placement)
                state.withLock { $0.begin(keeping: kept) }
                try await add(at: placement)
                return await placement.connection.answersEnded(of: placement.committed.handle, until: deadline)
            } catch {
                // The contents are written again at the next broker; the loads at this one end.
                placement.connection.end(after: error)
                lost = placement.connection
            }
        }
        guard offer.isOver || Task.isCancelled else {
            throw Failure(.brokerUnavailable, "the broker has ended, and no other one runs")
        }
    }

    /// The promises that a broker keeps already, by its list of the contents: an earlier hand-over may have begun
    /// there.
    ///
    /// - Throws: the loss of the broker.
    private func kept(at placement: Offer.Placement) async throws(RequestFailure) -> Set<HandOver.Promise> {
        let listing: BoardListing
        do throws(RequestFailure) {
            listing = try await placement.connection.listing(of: offer.board, settles: false)
        } catch {
            guard !error.isLoss else { throw error }
            // Promises that the broker keeps already are handed over once more.
            return []
        }
        guard listing.contents.handle == placement.committed.handle else { return [] }
        return HandOver.kept(of: offer.items.map { $0.representations.map(\.type) }, in: listing.items)
    }

    /// Makes and adds what the broker does not keep.
    ///
    /// - Throws: the loss of the broker.
    private func add(at placement: Offer.Placement) async throws(RequestFailure) {
        let loss = await withTaskGroup(of: RequestFailure?.self) { group -> RequestFailure? in
            while !Task.isCancelled {
                switch state.withLock({ $0.next(at: MonotonicClock.now()) }) {
                case .make(let promise): group.addTask { await self.add(promise, at: placement) }
                case .wait:
                    guard case let loss?? = await group.next() else { continue }
                    group.cancelAll()
                    return loss
                case .over: return nil
                }
            }
            return nil
        }
        if let loss { throw loss }
    }

    /// - Returns: the loss of the broker, if it was lost or ends.
    private func add(_ promise: HandOver.Promise, at placement: Offer.Placement) async -> RequestFailure? {
        var representation = offer.items[promise.item].representations[promise.representation]
        representation.byteCount = nil
        do {
            let made = try await placement.connection.performing(until: deadline) { [self] in
                try await make(promise) { count in self.state.withLock { $0.acquire(count, of: promise) } }
            }
            representation.content = made.form ?? representation.content
            // Items without representations change nothing.
            var items = Array(repeating: WriteItem(representations: []), count: promise.item)
            items.append(WriteItem(representations: [(representation, .bytes(made.bytes))]))
            _ = try await placement.connection.keep(items, as: HandOver.addition(to: placement.committed.handle))
            state.withLock { $0.keep(promise) }
        } catch {
            if let lost = error as? RequestFailure, lost.isLoss { return lost }
            guard !MonotonicClock.isOver(deadline) else { return nil }
            let reason = (error as? RequestFailure)?.failure.text ?? (error as? Failure)?.text ?? "\(error)"
            state.withLock { $0.drop(promise, reason) }
        }
        return nil
    }
}

extension RequestFailure {
    /// Whether the broker was lost or ends, so that nothing more can be handed over to it.
    fileprivate var isLoss: Bool { ![.other, .silent].contains(loss) }
}
