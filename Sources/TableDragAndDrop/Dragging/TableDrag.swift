import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit

/// A drag that contains items of a table. Notifies the table's delegate.
@MainActor
final class TableDrag: DragContributor {
    private(set) weak var session: (any DragSession)?
    private weak var table: Table?
    private var state = State.before
    /// Whether the table has moved its own row itself, so that there is nothing to delete.
    var isRearranged = false
    private var operation = DropOperation.cancel
    /// The items that the drop delegate reported as rows of this table.
    private var placed: Set<ObjectIdentifier> = []

    private enum State {
        case before, active, ended
    }

    init(_ session: any DragSession, table: Table) {
        self.session = session
        self.table = table
    }

    /// Whether the drag contains rows of this table and was not dropped yet.
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
        // If all rows were moved within the table, nothing is left to delete.
        let isMovedHere = operation == .move && session.items.allSatisfy { placed.contains(ObjectIdentifier($0)) }
        guard let table, !isRearranged, !isMovedHere else { return }
        table.dragDelegate?.tableView(table, dragSession: session, didTransferItemsBy: operation)
    }

    func place(_ item: DragItem) {
        placed.insert(ObjectIdentifier(item))
    }

    func handle(_ event: DragEvent, of drag: Drag, addedBy contributor: (any DragContributor)?) {
        switch event {
        case .willAdd: if contributor === self { begin(drag) }
        case .didEnd(let operation):
            self.operation = operation
            end(drag)
        case .transferred: transfer(drag)
        case .moved, .willEnd: break
        }
    }
}

struct WeakDrag {
    weak var drag: TableDrag?
}
