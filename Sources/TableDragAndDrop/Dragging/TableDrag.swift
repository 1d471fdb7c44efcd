import FoundationEssentials
import PasteboardKit

/// A drag that began in a table, or that rows of it were added to: tells the table's delegate what becomes of it.
@MainActor
final class TableDrag: DragObserver {
    private(set) weak var session: (any DragSession)?
    private weak var table: Table?
    /// Not dropped yet.
    private(set) var isActive = true
    /// The table has moved its own row by itself: there is nothing to delete.
    var isRearranged = false

    init(_ session: any DragSession, table: Table) {
        self.session = session
        self.table = table
    }

    func sessionDidMove(_ session: Drag) {}
    func session(_ session: Drag, willAdd items: [DragItem]) {}
    func session(_ session: Drag, willEndWith operation: DropOperation) {}

    func session(_ session: Drag, didEndWith operation: DropOperation) {
        end(session)
    }

    func sessionDidTransferItems(_ session: Drag) {
        transfer(session)
    }

    func end(_ session: any DragSession) {
        guard let table, isActive else { return }
        isActive = false
        table.dragDelegate?.tableView(table, dragSessionDidEnd: session)
    }

    func transfer(_ session: any DragSession) {
        guard let table, !isRearranged else { return }
        table.dragDelegate?.tableView(table, dragSessionDidTransferItems: session)
    }
}

struct WeakDrag {
    weak var drag: TableDrag?
}

/// The row that an item was given for.
struct DraggedRow {
    weak var item: DragItem?
    let path: IndexPath
}
