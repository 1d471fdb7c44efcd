import PasteboardTransport
package import PasteboardWire

/// The driver of ``HandOver``: hands the bytes of an offer's promises over to the broker, so that they can be loaded
/// after this program has ended.
///
/// The bytes of up to 16 promises are made at the same time. Each is kept as soon as it is complete, so that a slow one
/// does not delay the others. Loads that are under way continue. If the broker is lost, the hand-over continues at the
/// next one, with the promises that it does not keep.
package final class HandingOver: Sendable {
    /// Makes the bytes of a promise, and adds them to the contents at a broker. Before it takes more bytes, it acquires
    /// room for them, and fails if there is none.
    package typealias Adding =
        @Sendable (
            HandOver.Promise, Offer.Placement, _ acquire: @escaping @Sendable (UInt64) -> Bool
        ) async throws -> Void

    private struct State {
        var handOver: HandOver
        /// The reason of the last broker for refusing bytes.
        var refusal: Failure?
        /// Whether the last broker has taken bytes.
        var hasTaken = false
    }

    private let offer: Offer
    /// The types of the contents, by item and representation.
    private let types: [[String]]
    private let add: Adding
    private let state: Lock<State>
    private let deadline: UInt64

    /// - Parameters:
    ///   - promises: those that are handed over.
    ///   - deadline: the time at which the rest is dropped (see `MonotonicClock`).
    package init(
        _ promises: [HandOver.Promise],
        of offer: Offer,
        types: [[String]],
        byteLimit: UInt64 = HandOver.byteLimit,
        until deadline: UInt64,
        _ add: @escaping Adding
    ) {
        self.offer = offer
        self.types = types
        self.add = add
        self.deadline = deadline
        state = Lock(State(handOver: HandOver(promises, byteLimit: byteLimit, deadline: deadline)))
    }

    /// Hands over promises of an offer, whose bytes `make` returns.
    ///
    /// - Parameter promises: nil for all.
    package convenience init(
        of offer: Offer,
        _ items: [Item],
        choosing promises: [HandOver.Promise]? = nil,
        byteLimit: UInt64 = HandOver.byteLimit,
        until deadline: UInt64,
        _ make:
            @escaping @Sendable (
                HandOver.Promise, _ acquire: @escaping @Sendable (UInt64) -> Bool
            ) async throws -> MadeBytes
    ) {
        self.init(
            promises ?? HandOver.Promise.all(in: items.map(\.representations.count)),
            of: offer,
            types: items.map { $0.representations.map(\.type) },
            byteLimit: byteLimit,
            until: deadline
        ) { (promise, placement, acquire) in
            let connection = placement.connection
            let made = try await connection.performing(until: deadline, on: connection.loop) {
                try await make(promise, acquire)
            }
            var representation = items[promise.item].representations[promise.representation]
            representation.byteCount = nil
            representation.content = made.form ?? representation.content
            // Items without representations change nothing.
            var added = Array(repeating: WriteItem(representations: []), count: promise.item)
            added.append(WriteItem(representations: [(representation, .bytes(made.bytes))]))
            _ = try await connection.keep(added, as: HandOver.addition(to: placement.committed.handle))
        }
    }

    /// The result so far.
    package var handOver: HandOver { state.withLock { $0.handOver } }

    /// The reason of the broker if it has taken nothing, or can take nothing more.
    package var refusal: Failure? {
        state.withLock { state in
            state.refusal.flatMap { $0.code == .superseded || !state.hasTaken ? $0 : nil }
        }
    }

    /// Drops what is not kept.
    package func dropRest(_ reason: String) { state.withLock { $0.handOver.dropRest(reason) } }

    /// Hands over until all bytes are kept or dropped, and no load is under way any more.
    ///
    /// - Returns: the contents at the last broker; nil if they have ended before. A cancelled task gets either.
    /// - Throws: `broker-unavailable` if the broker was lost and there was no other one in time.
    @discardableResult
    package func run() async throws(Failure) -> Offer.Placement? {
        // The delay between attempts may have grown.
        offer.brokers.hurry()
        var placements: [Offer.Placement] = []
        while let placement = await offer.current(after: placements.last?.connection, until: deadline) {
            placements.append(placement)
            // A broker that does not answer must not delay the exit.
            if offer.brokers.options.abandonsLost { placement.connection.limitSilence(to: 2_000, 500) }
            do throws(RequestFailure) {
                let kept = try await kept(at: placement)
                state.withLock { state in
                    state.handOver.begin(keeping: kept)
                    (state.refusal, state.hasTaken) = (nil, false)
                }
                try await addAll(at: placement)
                for placement in placements {
                    await placement.connection.answersEnded(of: placement.committed.handle, until: deadline)
                }
                return placement
            } catch {
                offer.lose(placement, error)
            }
        }
        guard offer.isOver || Task.isCancelled else {
            throw Failure(.brokerUnavailable, "the broker was lost, and the contents were at no other one in time")
        }
        return nil
    }

    /// The promises that a broker keeps already, by its list of the contents: the write has kept them, or an earlier
    /// hand-over.
    ///
    /// - Throws: the loss of the broker.
    private func kept(at placement: Offer.Placement) async throws(RequestFailure) -> Set<HandOver.Promise> {
        let listing: BoardListing
        do throws(RequestFailure) {
            listing = try await placement.connection.listing(of: offer.board, settles: false, until: deadline)
        } catch {
            guard !isLoss(error, at: placement) else { throw error }
            // Promises that the broker keeps already are handed over once more.
            return []
        }
        guard listing.contents.handle == placement.committed.handle else { return [] }
        return HandOver.kept(of: types, in: listing.items)
    }

    /// Makes and adds what the broker does not keep.
    ///
    /// - Throws: the loss of the broker.
    private func addAll(at placement: Offer.Placement) async throws(RequestFailure) {
        let loss = await withTaskGroup(of: RequestFailure?.self) { group -> RequestFailure? in
            while !Task.isCancelled {
                switch state.withLock({ $0.handOver.next(at: MonotonicClock.now()) }) {
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
        do {
            try await add(promise, placement) { count in
                self.state.withLock { $0.handOver.acquire(count, of: promise) }
            }
            state.withLock { state in
                state.handOver.keep(promise)
                state.hasTaken = true
            }
        } catch {
            let request = error as? RequestFailure
            if let failure = request?.failure, ![.timeout, .cancelled].contains(failure.code) {
                state.withLock { state in
                    if state.refusal?.code != .superseded { state.refusal = failure }
                }
            }
            if let request, isLoss(request, at: placement) { return request }
            // After a loss the others are cancelled, and made again.
            guard !Task.isCancelled, !MonotonicClock.isOver(deadline) else { return nil }
            let reason = request?.failure.text ?? (error as? Failure)?.text ?? "\(error)"
            state.withLock { $0.handOver.drop(promise, reason) }
        }
        return nil
    }

    /// Whether the broker was lost or ends, so that nothing more can be handed over to it. A silent broker counts only
    /// in the library: a command that ends does not wait for the next one.
    private func isLoss(_ failure: RequestFailure, at placement: Offer.Placement) -> Bool {
        ![.other, .silent].contains(failure.loss)
            || !offer.brokers.options.abandonsLost && placement.connection.isOver
    }
}
