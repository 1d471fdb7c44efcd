public import FoundationEssentials
public import PasteboardKit

extension Table {
    /// The finger on a row: asks the drag delegate for items, and begins a drag with them.
    ///
    /// If the row is one of several that are selected, it is a drag of them all. The drag can be directed to this table, or
    /// whatever it lies in, by a `DropLocation` with the name "".
    ///
    /// - Returns: nil if no drag begins: there is no such row or no delegate, the delegate gives no item, or
    ///   ``dragInteractionEnabled`` or `isUserInteractionEnabled` is off.
    /// - Throws: what has refused the drag; `cancelled` if the task is cancelled. The delegate, told of the beginning, is told
    ///   of the end, too.
    public func beginDrag(at indexPath: IndexPath) async throws(PasteboardError) -> Drag? {
        let session = Drag(connection: outermost.connection)
        let items = itemsForBeginning(session, at: indexPath)
        guard !items.isEmpty else { return nil }
        session.prepare(items)
        let (drag, options) = willBegin(session)
        try await start(session, options, from: drag)
        return session
    }

    /// A tap on a row while a drag is under way: asks the drag delegate for items, and adds them.
    ///
    /// - Parameters:
    ///   - drag: one that has not been dropped, whether or not it began in this table.
    ///   - indexPath: a row; one that is dragged already is not asked for again.
    ///   - point: where in the table, for the delegate.
    /// - Returns: false if nothing is added: as for ``beginDrag(at:)``.
    /// - Throws: as `Drag.add(_:)`. The session goes on as it was.
    @discardableResult
    public func addItems(
        to drag: Drag,
        at indexPath: IndexPath,
        point: Point = Point(x: 0, y: 0)
    ) async throws(PasteboardError) -> Bool {
        let items = itemsForAdding(to: drag, at: indexPath, point: point)
        guard !items.isEmpty else { return false }
        let contributor = contributor(to: drag)
        let isNew = !contributor.isActive
        do throws(PasteboardError) {
            try await drag.add(items, from: contributor)
        } catch {
            // It was told of a beginning, and hears no more of the drag.
            if isNew { contributor.end(drag) }
            throw error
        }
        return true
    }

    // MARK: What the delegate says

    func itemsForBeginning(_ session: any DragSession, at indexPath: IndexPath) -> [DragItem] {
        guard dragInteractionEnabled, isReachable, let dragDelegate, indexPath.isRow(of: counts) else { return [] }
        let rows = selection.contains(indexPath) ? selection.sorted() : [indexPath]
        let revision = draggedRows.revision
        return rows.flatMap { row in
            // If the delegate changes rows while it is asked, the others are not where they were selected.
            guard draggedRows.revision == revision else { return [DragItem]() }
            let items = dragDelegate.tableView(self, itemsForBeginning: session, at: row)
            draggedRows.note(items, at: row, since: revision)
            return items
        }
    }

    func itemsForAdding(to session: any DragSession, at indexPath: IndexPath, point: Point) -> [DragItem] {
        guard dragInteractionEnabled, isReachable, let dragDelegate, indexPath.isRow(of: counts) else { return [] }
        let isDragged = session.items.contains { sourceIndexPath(of: $0) == indexPath }
        guard !isDragged else { return [] }
        let revision = draggedRows.revision
        let items = dragDelegate.tableView(self, itemsForAddingTo: session, at: indexPath, point: point)
        draggedRows.note(items, at: indexPath, since: revision)
        return items
    }

    func willBegin(_ session: any DragSession) -> (TableDrag, Drag.Options) {
        let drag = contributor(to: session)
        drag.begin(session)
        var options = Drag.Options()
        guard let dragDelegate else { return (drag, options) }
        options.allowsMoveOperation = dragDelegate.tableView(self, dragSessionAllowsMoveOperation: session)
        options.isRestrictedToDraggingApplication =
            dragDelegate.tableView(self, dragSessionIsRestrictedToDraggingApplication: session)
        options.allowsMoveBetweenProcesses =
            dragDelegate.tableView(self, dragSessionAllowsMoveBetweenProcesses: session)
        return (drag, options)
    }

    /// This table's part in a drag.
    private func contributor(to session: any DragSession) -> TableDrag {
        drags.removeAll { $0.drag == nil }
        if let known = drags.first(where: { $0.drag?.session === session })?.drag { return known }
        let drag = TableDrag(session, table: self)
        drags.append(WeakDrag(drag: drag))
        return drag
    }

    /// Whether this table and all that it lies in is enabled.
    private var isReachable: Bool {
        sequence(first: self as InteractionView, next: \.superview).allSatisfy(\.isUserInteractionEnabled)
    }

    /// The row of this table that an item was given for; nil if there is none, or if any row has changed since.
    func sourceIndexPath(of item: DragItem) -> IndexPath? {
        draggedRows.path(of: item.original)
    }
}
