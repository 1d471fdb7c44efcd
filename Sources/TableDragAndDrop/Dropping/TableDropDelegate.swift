public import FoundationEssentials
public import PasteboardKit

/// Says what a table would do with sessions that are over it, and takes what is dropped.
///
/// All but the first method have a default. A subclass's method is not called where its superclass conforms without having
/// it: implement it there.
@MainActor
public protocol TableDropDelegate: AnyObject {
    /// The session was dropped: the one time at which loads may begin. What neither loads nor takes anything has taken no drop.
    ///
    /// It is not called where a single row goes to another place of its own table, with the proposal to move and insert, and
    /// ``TableDataSource/tableView(_:canMoveRowAt:)`` allows it: ``TableDataSource/tableView(_:moveRowAt:to:)`` is, instead.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - coordinator: what was dropped, and where.
    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator)

    /// Whether the table takes anything of the session; true unless implemented. If not, nothing else is called for it, until
    /// items were added.
    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool

    /// The session has come over the table.
    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession)

    /// The session has come, is at another place, or has more items. Whoever drags waits for the answer.
    ///
    /// Unless implemented: to move, if the session began in this process and allows it, else to copy, with no intent.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: the session, which may have more items than when it came.
    ///   - destinationIndexPath: a row that there is, or the place behind the last row of a section; nil: neither.
    /// - Returns: what a drop would do. With no path there is no intent, and a table without sections takes no drop.
    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal

    /// The session is elsewhere. It may come again.
    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession)

    /// A session that has been over the table is over, however it ended.
    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession)
}

extension TableDropDelegate {
    /// Yes.
    public func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool { true }
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {}
    /// To move, if the session began in this process and allows it, else to copy; with no intent.
    public func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        let isMove = session.localDragSession != nil && session.allowsMoveOperation
        return TableDropProposal(operation: isMove ? .move : .copy)
    }
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {}
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {}
}
