import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit

/// A drag that contains rows of a view. Notifies the view's delegate.
@MainActor
final class RowsDrag: DragContributor {
    private(set) weak var session: (any DragSession)?
    private weak var view: RowsView?
    private var state = State.before
    /// Whether the view has moved its own row itself, so that there is nothing to delete.
    var isRearranged = false
    private var operation = DropOperation.cancel
    /// The items that the drop delegate reported as rows of this view.
    private var placed: Set<ObjectIdentifier> = []

    private enum State {
        case before, active, ended
    }

    init(_ session: any DragSession, view: RowsView) {
        self.session = session
        self.view = view
    }

    /// Whether the drag contains rows of this view and was not dropped yet.
    var isActive: Bool { state == .active }

    func begin(_ session: any DragSession) {
        guard let view, state == .before else { return }
        state = .active
        view.askDragDelegate(
            { $0.tableView($1, dragSessionWillBegin: session) },
            { $0.collectionView($1, dragSessionWillBegin: session) }
        )
    }

    func end(_ session: any DragSession) {
        guard let view, state == .active else { return }
        state = .ended
        view.askDragDelegate(
            { $0.tableView($1, dragSessionDidEnd: session) },
            { $0.collectionView($1, dragSessionDidEnd: session) }
        )
    }

    func transfer(_ session: any DragSession) {
        // If all rows were moved within the view, nothing is left to delete.
        let isMovedHere = operation == .move && session.items.allSatisfy { placed.contains(ObjectIdentifier($0)) }
        guard let view, !isRearranged, !isMovedHere else { return }
        view.askDragDelegate(
            { $0.tableView($1, dragSession: session, didTransferItemsBy: operation) },
            { $0.collectionView($1, dragSession: session, didTransferItemsBy: operation) }
        )
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
    weak var drag: RowsDrag?
}
