public import FoundationEssentials

/// A row of a table as a screen shows it.
public enum TableRow: Sendable {
    /// A row of the data source.
    case row(IndexPath)
    /// A row that stands for an item whose bytes are on their way; the data source does not know of it.
    case placeholder(TableCell)
}
