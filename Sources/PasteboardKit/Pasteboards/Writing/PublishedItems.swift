import PasteboardClient
import PasteboardTransport
import PasteboardWire

/// The items of a publication: the promises at the time of the write, and those that were added. Representations that
/// are registered later belong to later writes.
final class PublishedItems: Sendable {
    /// The position of a representation.
    typealias Place = HandOver.Promise

    private struct State {
        var items: [ProviderContents]
        /// The representations whose bytes the broker has.
        var kept: Set<Place> = []
        /// An addition whose commit is on its way: the broker may ask for its items at once.
        var added: [ProviderContents] = []

        /// The items with others that are added. One without representations changes nothing.
        func adding(_ added: [ProviderContents]) -> [ProviderContents] {
            var all = items
            for (index, item) in added.enumerated() {
                if index < all.count { all[index].representations += item.representations } else { all.append(item) }
            }
            return all
        }
    }

    private let state: Lock<State>

    init(_ items: [ProviderContents]) {
        state = Lock(State(items: items))
    }

    var all: [ProviderContents] { state.withLock(\.items) }

    /// The representations that are still promised, in order.
    var promised: [Place] {
        let (items, kept) = state.withLock { ($0.items, $0.kept) }
        return Place.all(in: items.map(\.representations.count)).filter { !kept.contains($0) }
    }

    /// Answers the asks of a broker.
    var answerer: Answerer {
        AskAnswer.answerer { [self] find in
            state.withLock { find($0.added.isEmpty ? $0.items : $0.adding($0.added)) }
        }
    }

    // MARK: Writing

    /// Writes the items, with the bytes of some.
    func write(
        _ write: Write,
        keeps: Pasteboard.KeptRepresentations,
        over live: BrokerConnection,
        for call: Call
    ) async throws -> PasteboardClient.Publication {
        // If only the connection was lost, the broker still has all bytes. As promises they would end with this
        // program.
        if promised.isEmpty, let epoch = write.reclaimsEpoch, live.epoch == epoch {
            throw Failure(.cancelled, "the broker has the contents")
        }
        let writing = ItemWriting(items: all, keeps: keeps, live: live, call: call)
        let stream = try await writing.send(answering: answerer) { state throws(Failure) in try state.open(write) }
        let publication = try await stream.published()
        stand(keeping: keeps)
        return publication
    }

    // MARK: Changes

    /// Records that the broker has the bytes of representations.
    func keep(_ kept: Set<Place>) { state.withLock { $0.kept.formUnion(kept) } }

    /// Records that a broker has these contents.
    ///
    /// - Parameter keeps: the representations whose bytes were sent.
    private func stand(keeping keeps: Pasteboard.KeptRepresentations) {
        state.withLock { state in
            state.kept = []
            for (index, item) in state.items.enumerated() {
                for kept in keeps.indices(of: item) { state.kept.insert(Place(item: index, representation: kept)) }
            }
        }
    }

    func beginAdding(_ added: [ProviderContents]) { state.withLock { $0.added = added } }

    /// Records what the broker has done with the addition.
    ///
    /// - Parameter isMade: whether it has added the items.
    func endAdding(isMade: Bool, keeping keeps: Pasteboard.KeptRepresentations = .nothing) {
        // Released after unlocking.
        let added = state.withLock { state in
            let added = exchange(&state.added, with: [])
            guard isMade else { return added }
            for (index, item) in added.enumerated() {
                let count = index < state.items.count ? state.items[index].representations.count : 0
                for kept in keeps.indices(of: item) {
                    state.kept.insert(Place(item: index, representation: count + kept))
                }
            }
            state.items = state.adding(added)
            return added
        }
        withExtendedLifetime(added) {}
    }
}
