package import PasteboardKit

/// A contributor of items to a drag. It is notified of the drag's events.
@MainActor
package protocol DragContributor: AnyObject, Sendable {
    /// - Parameter contributor: the contributor of items that are about to be added; nil for other events. For items
    ///   without a contributor it is the one at which the drag began.
    func handle(_ event: DragEvent, of drag: Drag, addedBy contributor: (any DragContributor)?)
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

    func handle(_ event: DragEvent, of drag: Drag) {
        var adding: (any DragContributor)?
        if case .willAdd(let items) = event { adding = add(items) }
        for part in parts { part.contributor.handle(event, of: drag, addedBy: adding) }
    }

    /// Records that items are added now.
    ///
    /// - Returns: their contributor.
    private func add(_ items: [DragItem]) -> (any DragContributor)? {
        let known = items.first.flatMap { expected.removeValue(forKey: ObjectIdentifier($0)) }
        guard let adding = known ?? parts.first?.contributor else { return nil }
        if let index = parts.firstIndex(where: { $0.contributor === adding }) {
            parts[index].additions += 1
        } else {
            parts.append(Part(contributor: adding))
        }
        return adding
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
