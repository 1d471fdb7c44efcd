public import FoundationEssentials
public import PasteboardKit

/// Gives the items for rows that are dragged, and hears what becomes of them.
///
/// All but the first method have a default. A subclass's method is not called where its superclass conforms without having
/// it: implement it there.
@MainActor
public protocol TableDragDelegate: AnyObject {
    /// A drag is about to begin.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: what it will be. Here its `localContext` is set.
    ///   - indexPath: the row that was pressed; if it is one of several that are selected, this is called for each of them,
    ///     from the first on.
    /// - Returns: the items that the row is dragged as; none: it is not. Where no row has any, no drag begins.
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem]

    /// A row was tapped while a session is under way, which need not have begun in this table.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: what they are added to.
    ///   - indexPath: a row that is not dragged already.
    ///   - point: where in the table, if anybody knows.
    /// - Returns: the items to be added; none unless implemented.
    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: Point
    ) -> [DragItem]

    /// A drag with items of this table begins. ``tableView(_:dragSessionDidEnd:)`` follows in any case.
    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession)

    /// The session was dropped, here or elsewhere, or cancelled. Bytes may still be asked for.
    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession)

    /// Whether a destination may propose to move; true unless implemented. Asked once, as the session begins.
    func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool

    /// Whether only this process sees the session; false unless implemented. Asked once, as the session begins.
    func tableView(_ tableView: Table, dragSessionIsRestrictedToDraggingApplication session: any DragSession) -> Bool

    /// Whether a destination of another process, too, may propose to move; false unless implemented. Asked once, as the
    /// session begins.
    func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool

    /// The destination has everything that it asked for, and has said so: what was moved is to be deleted now, and nothing
    /// of what was copied. It is called once at most, behind ``tableView(_:dragSessionDidEnd:)``, and not where the table has moved
    /// its own rows: by ``TableDataSource/tableView(_:moveRowAt:to:)``, or as a drop delegate that has said of each item of a
    /// move where in the same table it is now, by ``TableDropCoordinator/drop(_:toRowAt:)``.
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

    /// The same for a source to which a copy is as good as a move: called by
    /// ``tableView(_:dragSession:didTransferItemsBy:)`` unless that is implemented. Nothing may be deleted here.
    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession)
}

extension TableDragDelegate {
    /// None.
    public func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: Point
    ) -> [DragItem] { [] }
    /// Does nothing.
    public func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {}
    /// Does nothing.
    public func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {}
    /// Yes.
    public func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool { true }
    /// No.
    public func tableView(
        _ tableView: Table,
        dragSessionIsRestrictedToDraggingApplication session: any DragSession
    ) -> Bool { false }
    /// No.
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
