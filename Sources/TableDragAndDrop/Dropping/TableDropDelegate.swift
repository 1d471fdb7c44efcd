public import FoundationEssentials
public import PasteboardKit

/// The receiver of drops. It proposes an operation for each session over the table and takes the dropped items.
///
/// All but the first method have a default implementation. If a superclass conforms without implementing a method, an
/// implementation in its subclass is not called: implement the method in the superclass.
@MainActor
public protocol TableDropDelegate: AnyObject {
    /// The session was dropped. Loads may begin only during this call. If the delegate neither loads nor takes any
    /// item, the drop has no effect.
    ///
    /// It is not called if a single row moves within its own table, the proposal is to move and insert, and
    /// ``TableDataSource/tableView(_:canMoveRowAt:)`` allows it. ``TableDataSource/tableView(_:moveRowAt:to:)`` is
    /// called instead.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - coordinator: the items and the location of the drop.
    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator)

    /// Whether the table accepts anything of the session; true by default. If false, no other method is called for the
    /// session until items are added to it.
    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool

    /// The session has entered the table.
    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession)

    /// The session has entered, has moved to another location, or has more items. The source of the drag waits for the
    /// answer.
    ///
    /// By default the proposal is to move if the session began in this process and allows it, otherwise to copy. The
    /// default intent is unspecified.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - session: the session. It may have more items than when it entered.
    ///   - destinationIndexPath: an existing row, or the path after the last row of a section; nil if the session is at
    ///     neither.
    /// - Returns: the proposal for a drop. Without a path its intent is ignored, and a table without sections rejects
    ///   every drop.
    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal

    /// The session has left the table. It may enter again.
    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession)

    /// A session that has been over the table has ended, for any reason.
    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession)
}

extension TableDropDelegate {
    /// Returns true.
    public func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool { true }
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {}
    /// Proposes to move if the session began in this process and allows it, otherwise to copy, with an unspecified
    /// intent.
    public func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal { TableDropProposal(default: session) }
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {}
    /// Does nothing.
    public func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {}
}
