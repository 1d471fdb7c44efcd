import Foundation
import PasteboardKit

/// A drop on a table, in the form that its delegate receives.
@MainActor
final class RowDrop: TableDropCoordinator {
    let session: any DropSession
    let items: [any TableDropItem]
    let destinationIndexPath: IndexPath?
    let proposal: TableDropProposal
    private let table: Table
    private var placeholders: [PlaceholderRow] = []
    /// The placeholders by insertion path. The next placeholder with the same path is inserted after them.
    private var placeholdersByPath: [IndexPath: [PlaceholderRow]] = [:]

    init(_ session: any DropSession, at destination: IndexPath?, proposal: TableDropProposal, table: Table) {
        self.session = session
        self.table = table
        self.proposal = proposal
        destinationIndexPath = destination
        items = session.items.map { DroppedItem($0, table: table) }
    }

    func drop(_ dragItem: DragItem, to placeholder: TableDropPlaceholder) -> any TableDropPlaceholderContext {
        // A second one would be a row that the program may forget, for which the drop would wait.
        if let row = placeholders.first(where: { $0.dragItem === dragItem }) { return row }
        let hold = (session as? RemoteDropSession)?.holdConclusion()
        let row = PlaceholderRow(dragItem, placeholder: placeholder, table: table, hold: hold)
        let path = placeholder.insertionIndexPath
        let isShown = table.show(row, at: path, after: placeholdersByPath[path] ?? [], among: placeholders)
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
        table.drags.first { $0.drag?.session === local }?.drag?.place(dragItem.original)
    }
}

@MainActor
private final class DroppedItem: TableDropItem {
    let dragItem: DragItem
    private weak var table: Table?

    init(_ dragItem: DragItem, table: Table) {
        self.dragItem = dragItem
        self.table = table
    }

    var sourceIndexPath: IndexPath? { table?.sourceIndexPath(of: dragItem) }
}
