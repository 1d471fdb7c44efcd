import FoundationEssentials
import PasteboardKit

/// A drag that items of a table are in: tells its delegate what becomes of it.
@MainActor
final class TableDrag: DragContributor {
    private(set) weak var session: (any DragSession)?
    private weak var table: Table?
    private var state = State.before
    /// The table has moved its own row by itself: there is nothing to delete.
    var isRearranged = false
    private var operation = DropOperation.cancel
    /// Items that the drop delegate has said to be rows of this table now.
    private var placed: Set<ObjectIdentifier> = []

    private enum State {
        case before, active, ended
    }

    init(_ session: any DragSession, table: Table) {
        self.session = session
        self.table = table
    }

    /// Rows have been lifted, and not dropped.
    var isActive: Bool { state == .active }

    func begin(_ session: any DragSession) {
        guard let table, state == .before else { return }
        state = .active
        table.dragDelegate?.tableView(table, dragSessionWillBegin: session)
    }

    func end(_ session: any DragSession) {
        guard let table, state == .active else { return }
        state = .ended
        table.dragDelegate?.tableView(table, dragSessionDidEnd: session)
    }

    func transfer(_ session: any DragSession) {
        guard let table, !isRearranged, !hasMovedAll(of: session) else { return }
        table.dragDelegate?.tableView(table, dragSession: session, didTransferItemsBy: operation)
    }

    func place(_ item: DragItem) {
        placed.insert(ObjectIdentifier(item))
    }

    /// Whether nothing is left to be deleted: the table's rows are elsewhere in it.
    private func hasMovedAll(of session: any DragSession) -> Bool {
        operation == .move && session.items.allSatisfy { placed.contains(ObjectIdentifier($0)) }
    }

    func sessionDidMove(_ session: Drag) {}

    func session(_ session: Drag, willAdd items: [DragItem], from contributor: any DragContributor) {
        if contributor === self { begin(session) }
    }

    func session(_ session: Drag, willEndWith operation: DropOperation) {}

    func session(_ session: Drag, didEndWith operation: DropOperation) {
        self.operation = operation
        end(session)
    }

    func sessionDidTransferItems(_ session: Drag) {
        transfer(session)
    }
}

struct WeakDrag {
    weak var drag: TableDrag?
}
