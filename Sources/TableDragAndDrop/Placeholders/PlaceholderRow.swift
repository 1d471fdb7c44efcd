import FoundationEssentials
import PasteboardKit

/// A placeholder in a view of rows, and the context through which the program resolves it. When the placeholder leaves
/// the view the drop can conclude. A move is complete only if a row has replaced the placeholder.
@MainActor
final class PlaceholderRow: TableDropPlaceholderContext {
    let dragItem: DragItem
    private weak var view: RowsView?
    private let cell: RowCell
    private let updateCell: () -> Void
    /// Whether a row has replaced the placeholder.
    private(set) var isTaken = false
    /// Keeps the drop from concluding until the placeholder is resolved.
    private var hold: DropWindow.Hold?
    /// Whether the program's block is running. The item then enters the model, whatever the block does to the table.
    private var isCommitting = false

    init<Cell: RowCell>(
        _ dragItem: DragItem,
        placeholder: DropPlaceholder<Cell>,
        view: RowsView,
        hold: DropWindow.Hold?
    ) {
        self.dragItem = dragItem
        self.view = view
        self.hold = hold
        let cell: Cell = view.makeCell(placeholder.reuseIdentifier)
        self.cell = cell
        updateCell = { placeholder.cellUpdateHandler?(cell) }
    }

    deinit {
        // The placeholder was removed with its table and the program has not resolved it since.
        hold?.fail(Self.loss)
        hold?.release()
    }

    /// The cell, with updated contents.
    func updatedCell() -> RowCell {
        updateCell()
        return cell
    }

    func commitInsertion(dataSourceUpdates: (_ insertionIndexPath: IndexPath) -> Void) -> Bool {
        guard !isCommitting else { return false }
        isCommitting = true
        let isTaken = view?.commit(self, dataSourceUpdates) ?? false
        isCommitting = false
        resolve(isTaken: isTaken)
        return isTaken
    }

    func deletePlaceholder() -> Bool {
        guard !isCommitting else { return false }
        let wasThere = view?.remove(self) ?? false
        resolve(isTaken: false)
        return wasThere
    }

    /// - Parameter isTaken: whether there is a row for the item now. A move must not delete an item that did not enter
    ///   the model.
    func resolve(isTaken: Bool) {
        guard !isCommitting else { return }
        if isTaken {
            self.isTaken = true
            dragItem.taken()
        } else {
            hold?.fail(Self.loss)
        }
        hold?.release()
        hold = nil
    }

    private nonisolated static let loss =
        "the destination deleted a placeholder without inserting its item into the table"
}
