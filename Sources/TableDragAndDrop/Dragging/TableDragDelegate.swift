public import Foundation
public import PasteboardKit

/// The provider of items for dragged rows. It is notified of the drag's progress.
///
/// All but the first method have a default implementation. If a superclass conforms without implementing a method, an
/// implementation in its subclass is not called: implement the method in the superclass.
@MainActor
public protocol TableDragDelegate: AnyObject {
    /// A drag is about to begin.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: the session that is about to begin. Set its `localContext` here.
    ///   - indexPath: the row that was pressed. If it is one of several selected rows, this method is called for each
    ///     of them in ascending order.
    /// - Returns: the items for the row; an empty array excludes the row. If no row has items, no drag begins.
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem]

    /// A row was tapped during a session, which need not have begun in this table.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: the session to which the items are added.
    ///   - indexPath: a row that is not part of the drag yet.
    ///   - point: the location in the table, if known.
    /// - Returns: the items to add; none by default.
    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem]

    /// A drag with items of this table begins. ``tableView(_:dragSessionDidEnd:)`` always follows.
    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession)

    /// The session was dropped, here or elsewhere, or was cancelled. Destinations may still load data.
    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession)

    /// Whether a destination may propose to move; true by default. The table asks once, when the session begins.
    func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool

    /// Whether only this process sees the session; false by default. The table asks once, when the session begins.
    func tableView(_ tableView: Table, dragSessionIsRestrictedToDraggingApplication session: any DragSession) -> Bool

    /// Whether a destination in another process may also propose to move; false by default. The table asks once, when
    /// the session begins.
    func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool

    /// The destination has reported that it has everything it asked for. Delete the items now if they were moved; keep
    /// them if they were copied.
    ///
    /// It is called at most once, after ``tableView(_:dragSessionDidEnd:)``. It is not called if the rows have only
    /// moved within the table: either the table called ``TableDataSource/tableView(_:moveRowAt:to:)``, or the drop
    /// delegate reported the new row of each moved item with ``TableDropCoordinator/drop(_:toRowAt:)``.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: the session.
    ///   - operation: copy or move.
    func tableView(
        _ tableView: Table,
        dragSession session: any DragSession,
        didTransferItemsBy operation: DropOperation
    )

    /// The same notification for a source that does not distinguish copies from moves. The default implementation of
    /// ``tableView(_:dragSession:didTransferItemsBy:)`` calls it. It must not delete anything.
    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession)
}

extension TableDragDelegate {
    /// Returns no items.
    public func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem] { [] }
    /// Does nothing.
    public func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {}
    /// Does nothing.
    public func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {}
    /// Returns true.
    public func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool { true }
    /// Returns false.
    public func tableView(
        _ tableView: Table,
        dragSessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool { false }
    /// Returns false.
    public func tableView(
        _ tableView: Table,
        dragSessionAllowsMoveBetweenProcesses session: any DragSession
    ) -> Bool { false }
    /// Calls ``tableView(_:dragSessionDidTransferItems:)``.
    public func tableView(
        _ tableView: Table,
        dragSession session: any DragSession,
        didTransferItemsBy operation: DropOperation
    ) {
        self.tableView(tableView, dragSessionDidTransferItems: session)
    }
    /// Does nothing.
    public func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {}
}
