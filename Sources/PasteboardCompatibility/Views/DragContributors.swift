package import PasteboardKit

/// A contributor of items to a drag. It is notified of the drag's events.
@MainActor
package protocol DragContributor: AnyObject, Sendable {
    /// The drag was moved.
    func sessionDidMove(_ session: Drag)
    /// Items are about to be added.
    ///
    /// - Parameter contributor: the contributor of these items. For items without a contributor it is the one at which
    ///   the drag began.
    func session(_ session: Drag, willAdd items: [DragItem], from contributor: any DragContributor)
    /// The drag was dropped, or was lost. Nothing has been transferred yet.
    func session(_ session: Drag, willEndWith operation: DropOperation)
    /// Called right after `willEndWith`.
    func session(_ session: Drag, didEndWith operation: DropOperation)
    /// A copy or move is complete.
    func sessionDidTransferItems(_ session: Drag)
}

/// All contributors of items to a drag. It forwards the drag's events to each of them.
@MainActor
final class DragContributors: DragObserver {
    private struct Part {
        let contributor: any DragContributor
        /// The number of times that the contributor has added items.
        var additions = 1
    }

    private var parts: [Part]
    /// The contributors of items that are about to be added, by the first of those items.
    private var expected: [ObjectIdentifier: any DragContributor] = [:]

    /// - Parameter first: the contributor at which the drag begins.
    init(_ first: any DragContributor) {
        parts = [Part(contributor: first)]
    }

    private var contributors: [any DragContributor] { parts.map(\.contributor) }

    /// Records that items of a contributor are about to be added.
    func expect(_ items: [DragItem], from contributor: any DragContributor) {
        guard let first = items.first else { return }
        expected[ObjectIdentifier(first)] = contributor
    }

    /// Records that these items were not added. A contributor that has added no other items is no longer notified.
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
