/// What items of a drag come from. It hears what becomes of them.
@MainActor
package protocol DragContributor: AnyObject, Sendable {
    /// It was moved.
    func sessionDidMove(_ session: Drag)
    /// Items are about to be added.
    ///
    /// - Parameter contributor: what they come from; where they come from nothing, what the drag began at.
    func session(_ session: Drag, willAdd items: [DragItem], from contributor: any DragContributor)
    /// It was let go of, or lost; nothing has been transferred yet.
    func session(_ session: Drag, willEndWith operation: DropOperation)
    /// The same, behind it.
    func session(_ session: Drag, didEndWith operation: DropOperation)
    /// A copy or move is complete.
    func sessionDidTransferItems(_ session: Drag)
}

/// All that items of a drag have come from, each of which hears what becomes of it.
@MainActor
final class DragContributors: DragObserver {
    private struct Part {
        let contributor: any DragContributor
        /// How often it has given items.
        var additions = 1
    }

    private var parts: [Part]
    /// Where items come from that are about to be added, by the first of them.
    private var expected: [ObjectIdentifier: any DragContributor] = [:]

    /// - Parameter first: the one that the drag begins at.
    init(_ first: any DragContributor) {
        parts = [Part(contributor: first)]
    }

    private var contributors: [any DragContributor] { parts.map(\.contributor) }

    /// Items will be added that a contributor has given.
    func expect(_ items: [DragItem], from contributor: any DragContributor) {
        guard let first = items.first else { return }
        expected[ObjectIdentifier(first)] = contributor
    }

    /// These were not added after all. Who has given no others hears no more.
    func withdraw(_ items: [DragItem], from contributor: any DragContributor) {
        let wasTold = items.first.map { expected.removeValue(forKey: ObjectIdentifier($0)) == nil } ?? false
        guard wasTold, let index = parts.firstIndex(where: { $0.contributor === contributor }) else { return }
        parts[index].additions -= 1
        if parts[index].additions == 0 { parts.remove(at: index) }
    }

    func sessionDidMove(_ session: Drag) {
        for contributor in contributors { contributor.sessionDidMove(session) }
    }

    func session(_ session: Drag, willAdd items: [DragItem]) {
        let known = items.first.flatMap { expected.removeValue(forKey: ObjectIdentifier($0)) }
        guard let adding = known ?? parts.first?.contributor else { return }
        if let index = parts.firstIndex(where: { $0.contributor === adding }) {
            parts[index].additions += 1
        } else {
            parts.append(Part(contributor: adding))
        }
        for contributor in contributors { contributor.session(session, willAdd: items, from: adding) }
    }

    func session(_ session: Drag, willEndWith operation: DropOperation) {
        for contributor in contributors { contributor.session(session, willEndWith: operation) }
    }

    func session(_ session: Drag, didEndWith operation: DropOperation) {
        for contributor in contributors { contributor.session(session, didEndWith: operation) }
    }

    func sessionDidTransferItems(_ session: Drag) {
        for contributor in contributors { contributor.sessionDidTransferItems(session) }
    }
}

extension Drag {
    /// Adds the items of a contributor, which is notified of the drag's events from now on. If the drag has begun with
    /// ``begin(_:options:timeout:connection:)``, the contributor is not notified.
    @MainActor
    package func add(_ items: [DragItem], from contributor: any DragContributor) async throws(PasteboardError) {
        guard let contributors = observer as? DragContributors else { return try await add(items) }
        contributors.expect(items, from: contributor)
        do throws(PasteboardError) {
            try await add(items)
        } catch {
            contributors.withdraw(items, from: contributor)
            throw error
        }
    }
}
