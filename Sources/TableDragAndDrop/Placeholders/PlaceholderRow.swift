import FoundationEssentials
import PasteboardKit

/// A placeholder in a table, and what the program holds of it. Gone from the table, it lets the drop conclude.
@MainActor
final class PlaceholderRow: TableDropPlaceholderContext {
    let dragItem: DragItem
    private weak var table: Table?
    private let placeholder: TableDropPlaceholder
    private let cell: TableCell
    /// Held while it is not resolved.
    private var hold: RemoteDropSession.Hold?

    init(_ dragItem: DragItem, placeholder: TableDropPlaceholder, table: Table, hold: RemoteDropSession.Hold?) {
        self.dragItem = dragItem
        self.table = table
        self.placeholder = placeholder
        self.hold = hold
        cell = TableCell(reuseIdentifier: placeholder.reuseIdentifier, rowHeight: placeholder.rowHeight)
    }

    /// Its cell, filled in anew.
    func updatedCell() -> TableCell {
        placeholder.cellUpdateHandler?(cell)
        return cell
    }

    func commitInsertion(dataSourceUpdates: (_ insertionIndexPath: IndexPath) -> Void) -> Bool {
        guard let table, table.commit(self, dataSourceUpdates) else { return false }
        resolve(isTaken: true)
        return true
    }

    func deletePlaceholder() -> Bool {
        guard let table, table.remove(self) else { return false }
        resolve(isTaken: false)
        return true
    }

    /// - Parameter isTaken: whether there is a row for the item now. A move that has not brought its item into the model
    ///   must not delete it.
    func resolve(isTaken: Bool) {
        if isTaken {
            dragItem.take()
            hold?.release()
        } else {
            hold?.fail("the destination has taken a placeholder away, and its item is not in the table")
        }
        hold = nil
    }
}
