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
    ///   - insertionIndexPath: the place among the rows as they are shown, other placeholders included; behind the last if it
    ///     is farther down. Several of one drop with the same place follow one another.
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
