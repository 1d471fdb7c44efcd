public import Foundation
import PasteboardCompatibility
public import PasteboardKit

extension RowsView {
    /// Presses a row: asks the drag delegate for items and begins a drag with them.
    ///
    /// If the row is one of several selected rows, the drag contains all of them. To direct the drag to this table, or
    /// to a view that contains it, use a `DropLocation` with the name "".
    ///
    /// - Returns: nil if no drag begins: the row or the delegate does not exist, the delegate gives no item, or
    ///   ``dragInteractionEnabled`` or `isUserInteractionEnabled` is false.
    /// - Throws: the error that prevented the drag; `cancelled` if the task is cancelled. If the delegate was notified
    ///   of the beginning, it is also notified of the end.
    public func beginDrag(at indexPath: IndexPath) async throws(PasteboardError) -> Drag? {
        let session = Drag(connection: outermost.connection)
        let items = itemsForBeginning(session, at: indexPath)
        guard !items.isEmpty else { return nil }
        session.prepare(items)
        let (drag, options) = willBegin(session)
        try await start(session, options, from: drag)
        return session
    }

    /// Taps a row during a drag: asks the drag delegate for items and adds them.
    ///
    /// - Parameters:
    ///   - drag: a drag that was not dropped yet. It need not have begun in this table.
    ///   - indexPath: the row. The delegate is not asked for a row that is already part of the drag.
    ///   - point: the location in the table, for the delegate.
    /// - Returns: false if nothing was added, for the reasons given at ``beginDrag(at:)``.
    /// - Throws: the errors of `Drag.add(_:)`. The session continues unchanged.
    @discardableResult
    public func addItems(
        to drag: Drag,
        at indexPath: IndexPath,
        point: CGPoint = CGPoint(x: 0, y: 0)
    ) async throws(PasteboardError) -> Bool {
        let items = itemsForAdding(to: drag, at: indexPath, point: point)
        guard !items.isEmpty else { return false }
        let contributor = contributor(to: drag)
        let isNew = !contributor.isActive
        do throws(PasteboardError) {
            try await drag.add(items, from: contributor)
        } catch {
            // The delegate was notified of a beginning and gets no further notification of this drag.
            if isNew { contributor.end(drag) }
            throw error
        }
        return true
    }

    // MARK: Asking the delegate

    func itemsForBeginning(_ session: any DragSession, at indexPath: IndexPath) -> [DragItem] {
        guard dragInteractionEnabled, isReachable, indexPath.isRow(of: counts) else { return [] }
        let rows = selection.contains(indexPath) ? selection.sorted() : [indexPath]
        let revision = draggedRows.revision
        return rows.flatMap { row in
            // If the delegate changes rows while it is asked, the other selected rows are no longer at these paths.
            guard draggedRows.revision == revision else { return [DragItem]() }
            let items =
                askDragDelegate(
                    { $0.tableView($1, itemsForBeginning: session, at: row) },
                    { $0.collectionView($1, itemsForBeginning: session, at: row) }
                ) ?? []
            draggedRows.record(items, at: row, since: revision)
            return items
        }
    }

    func itemsForAdding(to session: any DragSession, at indexPath: IndexPath, point: CGPoint) -> [DragItem] {
        guard dragInteractionEnabled, isReachable, indexPath.isRow(of: counts) else { return [] }
        let isDragged = session.items.contains { sourceIndexPath(of: $0) == indexPath }
        guard !isDragged else { return [] }
        let revision = draggedRows.revision
        let items =
            askDragDelegate(
                { $0.tableView($1, itemsForAddingTo: session, at: indexPath, point: point) },
                { $0.collectionView($1, itemsForAddingTo: session, at: indexPath, point: point) }
            ) ?? []
        draggedRows.record(items, at: indexPath, since: revision)
        return items
    }

    func willBegin(_ session: any DragSession) -> (RowsDrag, Drag.Options) {
        let drag = contributor(to: session)
        drag.begin(session)
        var options = Drag.Options()
        options.allowsMoveOperation =
            askDragDelegate(
                { $0.tableView($1, dragSessionAllowsMoveOperation: session) },
                { $0.collectionView($1, dragSessionAllowsMoveOperation: session) }
            ) ?? true
        options.isRestrictedToDraggingApplication =
            askDragDelegate(
                { $0.tableView($1, dragSessionIsRestrictedToDraggingApplication: session) },
                { $0.collectionView($1, dragSessionIsRestrictedToDraggingApplication: session) }
            ) ?? false
        options.allowsMoveBetweenProcesses =
            askDragDelegate(
                { $0.tableView($1, dragSessionAllowsMoveBetweenProcesses: session) },
                { $0.collectionView($1, dragSessionAllowsMoveBetweenProcesses: session) }
            ) ?? false
        return (drag, options)
    }

    /// The object that represents this table in a drag.
    private func contributor(to session: any DragSession) -> RowsDrag {
        drags.removeAll { $0.drag == nil }
        if let known = drags.first(where: { $0.drag?.session === session })?.drag { return known }
        let drag = RowsDrag(session, view: self)
        drags.append(WeakDrag(drag: drag))
        return drag
    }

    /// Whether this table and all views that contain it are enabled.
    private var isReachable: Bool {
        sequence(first: self as InteractionView, next: \.superview).allSatisfy(\.isUserInteractionEnabled)
    }

    /// The row of this table for which an item was given; nil if there is none or if any row has changed since.
    func sourceIndexPath(of item: DragItem) -> IndexPath? {
        draggedRows.path(of: item.original)
    }
}
