import Foundation
import PasteboardKit

/// A drop on a view of rows, in the form that its delegate receives.
@MainActor
final class RowDrop: TableDropCoordinator {
    let session: any DropSession
    let items: [any TableDropItem]
    let destinationIndexPath: IndexPath?
    let proposal: TableDropProposal
    private let view: RowsView
    private var placeholders: [PlaceholderRow] = []
    /// The placeholders by insertion path. The next placeholder with the same path is inserted after them.
    private var placeholdersByPath: [IndexPath: [PlaceholderRow]] = [:]

    init(_ session: any DropSession, at destination: IndexPath?, proposal: TableDropProposal, view: RowsView) {
        self.session = session
        self.view = view
        self.proposal = proposal
        destinationIndexPath = destination
        items = session.items.map { DroppedItem($0, view: view) }
    }

    func drop<Cell: RowCell>(
        _ dragItem: DragItem,
        to placeholder: DropPlaceholder<Cell>
    ) -> any TableDropPlaceholderContext {
        // A second one would be a row that the program may forget, for which the drop would wait.
        if let row = placeholders.first(where: { $0.dragItem === dragItem }) { return row }
        let hold = (session as? RemoteDropSession)?.holdConclusion()
        let row = PlaceholderRow(dragItem, placeholder: placeholder, view: view, hold: hold)
        let path = placeholder.insertionIndexPath
        let isShown = view.show(row, at: path, after: placeholdersByPath[path] ?? [], among: placeholders)
        if !isShown { row.resolve(isTaken: false) }
        placeholders.append(row)
        placeholdersByPath[path, default: []].append(row)
        return row
    }

    func drop(_ dragItem: DragItem, toRowAt indexPath: IndexPath) {
        place(dragItem)
    }

    func drop(_ dragItem: DragItem, intoRowAt indexPath: IndexPath, rect: CGRect) {
        place(dragItem)
    }

    private func place(_ dragItem: DragItem) {
        dragItem.taken()
        guard let local = session.localDragSession else { return }
        view.drags.first { $0.drag?.session === local }?.drag?.place(dragItem.original)
    }
}

@MainActor
private final class DroppedItem: TableDropItem {
    let dragItem: DragItem
    private weak var view: RowsView?

    init(_ dragItem: DragItem, view: RowsView) {
        self.dragItem = dragItem
        self.view = view
    }

    var sourceIndexPath: IndexPath? { view?.sourceIndexPath(of: dragItem) }
}
