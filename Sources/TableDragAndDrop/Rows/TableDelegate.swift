public import FoundationEssentials

/// A delegate of a table. Only the move of a row within the table is asked for: there is no appearance, and no touches.
@MainActor
public protocol TableDelegate: AnyObject {
    /// Returns the path to which a row is moved within the table, instead of the proposed one.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - source: the path of the row before the move.
    ///   - proposed: the path after the move, at which the row was dropped.
    func tableView(
        _ tableView: Table,
        targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath
}

extension TableDelegate {
    /// Returns the proposed path.
    public func tableView(
        _ tableView: Table,
        targetIndexPathForMoveFromRowAt source: IndexPath,
        toProposedIndexPath proposed: IndexPath
    ) -> IndexPath { proposed }
}
