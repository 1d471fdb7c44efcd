public import FoundationEssentials

/// The contents of a table: the number of rows, and the rows that may be moved within the table.
///
/// The table remembers the counts and asks for them again after each reported change of rows.
@MainActor
public protocol TableDataSource: AnyObject {
    /// The number of sections; 1 by default.
    func numberOfSections(in tableView: Table) -> Int
    /// The number of rows in a section.
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int
    /// The cell of a row; an empty one by default. Only ``Table/cellForRow(at:)`` asks for it.
    func tableView(_ tableView: Table, cellForRowAt indexPath: IndexPath) -> TableCell
    /// Whether dragging this row within its own table calls ``tableView(_:moveRowAt:to:)`` instead of dropping it. By
    /// default it does if the data source has that method, as in UIKit.
    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool
    /// A row was dragged to another index in its own table. Update the model; the table updates itself.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - sourceIndexPath: the path of the row before the move.
    ///   - destinationIndexPath: the path after the move, not counting the row at its old index.
    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath)
}

extension TableDataSource {
    /// Returns 1.
    public func numberOfSections(in tableView: Table) -> Int { 1 }
    /// Returns an empty cell.
    public func tableView(_ tableView: Table, cellForRowAt indexPath: IndexPath) -> TableCell { TableCell() }
    /// Returns true.
    public func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { tableView.unanswered() }
    /// Does nothing. The row is then dropped.
    public func tableView(
        _ tableView: Table,
        moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {
        tableView.unanswered()
    }
}
