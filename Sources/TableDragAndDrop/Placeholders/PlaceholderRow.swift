import FoundationEssentials
import PasteboardKit

/// A placeholder in a table, and what the program holds of it. Gone from the table, it lets the drop conclude; whichever way
/// it goes, a move is complete only if there is a row for its item.
@MainActor
final class PlaceholderRow: TableDropPlaceholderContext {
    let dragItem: DragItem
    private weak var table: Table?
    private let placeholder: TableDropPlaceholder
    private let cell: TableCell
    /// It has become a row.
    private(set) var isTaken = false
    /// Held while it is not resolved.
    private var hold: RemoteDropSession.Hold?
    /// The program's block runs: whatever that does to the table, the item comes into the model.
    private var isCommitting = false

    init(_ dragItem: DragItem, placeholder: TableDropPlaceholder, table: Table, hold: RemoteDropSession.Hold?) {
        self.dragItem = dragItem
        self.table = table
        self.placeholder = placeholder
        self.hold = hold
        cell = TableCell(reuseIdentifier: placeholder.reuseIdentifier, rowHeight: placeholder.rowHeight)
    }

    deinit {
        // It has gone with its table, and whoever held it has not asked since.
        hold?.fail(Self.loss)
    }

    /// Its cell, filled in anew.
    func updatedCell() -> TableCell {
        placeholder.cellUpdateHandler?(cell)
        return cell
    }

    func commitInsertion(dataSourceUpdates: (_ insertionIndexPath: IndexPath) -> Void) -> Bool {
        guard !isCommitting else { return false }
        isCommitting = true
        let isTaken = table?.commit(self, dataSourceUpdates) ?? false
        isCommitting = false
        resolve(isTaken: isTaken)
        return isTaken
    }

    func deletePlaceholder() -> Bool {
        guard !isCommitting else { return false }
        let wasThere = table?.remove(self) ?? false
        resolve(isTaken: false)
        return wasThere
    }

    /// - Parameter isTaken: whether there is a row for the item now. A move that has not brought its item into the model
    ///   must not delete it.
    func resolve(isTaken: Bool) {
        guard !isCommitting else { return }
        if isTaken {
            self.isTaken = true
            dragItem.take()
            hold?.release()
        } else {
            hold?.fail(Self.loss)
        }
        hold = nil
    }

    private nonisolated static let loss =
        "the destination has taken a placeholder away, and its item is not in the table"
}
