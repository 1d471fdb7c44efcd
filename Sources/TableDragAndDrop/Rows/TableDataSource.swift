public import FoundationEssentials

/// What a table has: how many rows, and which of them may be moved within it.
///
/// The table remembers the numbers, and asks for them again after each change of rows that it is told of.
@MainActor
public protocol TableDataSource: AnyObject {
    /// How many sections there are; 1 unless implemented.
    func numberOfSections(in tableView: Table) -> Int
    /// How many rows a section has.
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int
    /// Whether a row that is dragged to another place in its own table is moved there by
    /// ``tableView(_:moveRowAt:to:)``, instead of being dropped; false unless implemented.
    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool
    /// A row was dragged to another place in its own table: the model is to follow. The table itself does already.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - sourceIndexPath: where the row was.
    ///   - destinationIndexPath: where it is afterwards, counted without it.
    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath)
}

extension TableDataSource {
    /// 1.
    public func numberOfSections(in tableView: Table) -> Int { 1 }
    /// No.
    public func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { false }
    /// Does nothing.
    public func tableView(
        _ tableView: Table,
        moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {}
}
