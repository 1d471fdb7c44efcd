public import FoundationEssentials

/// A row that is shown for an item until its bytes have arrived.
@MainActor
public final class DropPlaceholder<Cell: RowCell> {
    let insertionIndexPath: IndexPath
    let reuseIdentifier: String

    /// Sets the contents of the row. It runs each time the rows are shown, so it can show the progress of the load.
    public var cellUpdateHandler: ((Cell) -> Void)?

    /// Makes a placeholder.
    ///
    /// - Parameters:
    ///   - insertionIndexPath: the path among the rows of the data source and the placeholders of the same drop: the
    ///     drop's destination for the first placeholder, the next row for each further one. Placeholders with the same
    ///     path follow one another. A path beyond the last row inserts after the last row.
    ///   - reuseIdentifier: the program's name for this kind of row.
    ///   - rowHeight: makes no difference.
    public init(
        insertionIndexPath: IndexPath,
        reuseIdentifier: String,
        rowHeight: Double = Table.automaticDimension
    ) {
        self.insertionIndexPath = insertionIndexPath
        self.reuseIdentifier = reuseIdentifier
    }
}

/// A placeholder in a table.
public typealias TableDropPlaceholder = DropPlaceholder<TableCell>
