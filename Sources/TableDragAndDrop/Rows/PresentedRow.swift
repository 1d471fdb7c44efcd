public import FoundationEssentials

/// A row of a view as a screen would show it.
public enum PresentedRow<Cell: RowCell>: Sendable {
    /// A row of the data source.
    case row(IndexPath)
    /// A placeholder for an item whose bytes have not arrived yet. The data source does not know of it.
    case placeholder(Cell)
}

/// A row of a table as a screen would show it.
public typealias TableRow = PresentedRow<TableCell>

extension RowsView {
    func presented<Cell: RowCell>(inSection section: Int) -> [PresentedRow<Cell>] {
        placeholders.shown(inSection: section, count: numberOfRows(inSection: section)).compactMap {
            switch $0 {
            case .row(let path): .row(path)
            case .placeholder(let placeholder): (placeholder.updatedCell() as? Cell).map { .placeholder($0) }
            }
        }
    }
}
