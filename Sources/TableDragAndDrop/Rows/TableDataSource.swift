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
    /// Whether dragging this row within its own table calls ``tableView(_:moveRowAt:to:)`` instead of dropping it;
    /// false by default.
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
    /// Returns false.
    public func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { false }
    /// Does nothing.
    public func tableView(
        _ tableView: Table,
        moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {}
}
