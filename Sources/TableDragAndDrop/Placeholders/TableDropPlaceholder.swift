public import FoundationEssentials

/// A row to be shown for an item until its bytes have arrived.
@MainActor
public final class TableDropPlaceholder {
    let insertionIndexPath: IndexPath
    let reuseIdentifier: String
    let rowHeight: Double

    /// Fills in what the row shows. It runs whenever the rows are shown, so that it can tell how far the load is.
    public var cellUpdateHandler: ((TableCell) -> Void)?

    /// Makes a placeholder.
    ///
    /// - Parameters:
    ///   - insertionIndexPath: the place among the rows of the data source and the placeholders of the same drop: the drop's
    ///     destination for the first, the next row for each further one. Several with the same place follow one another.
    ///     What is farther down comes behind the last row.
    ///   - reuseIdentifier: what kind of row it is, as the program calls it.
    ///   - rowHeight: how high it is.
    public init(
        insertionIndexPath: IndexPath,
        reuseIdentifier: String,
        rowHeight: Double = Table.automaticDimension
    ) {
        self.insertionIndexPath = insertionIndexPath
        self.reuseIdentifier = reuseIdentifier
        self.rowHeight = rowHeight
    }
}
