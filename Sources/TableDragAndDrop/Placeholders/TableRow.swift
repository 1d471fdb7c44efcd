public import FoundationEssentials

/// A row of a table as a screen would show it.
public enum TableRow: Sendable {
    /// A row of the data source.
    case row(IndexPath)
    /// A placeholder for an item whose bytes have not arrived yet. The data source does not know of it.
    case placeholder(TableCell)
}
