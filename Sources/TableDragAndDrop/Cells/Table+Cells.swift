public import Foundation

extension Table {
    /// Sets the class of the cells that are made for an identifier; nil for an ordinary cell.
    public func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        cellClasses[identifier] = cellClass
    }

    /// Makes a cell of the registered class, or an ordinary cell.
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> TableCell {
        makeCell(identifier)
    }

    /// Makes a cell of the registered class, or an ordinary cell. It never returns nil.
    public func dequeueReusableCell(withIdentifier identifier: String) -> TableCell? {
        makeCell(identifier)
    }

    /// Returns nil: without a screen, rows have no place.
    public func indexPathForRow(at point: CGPoint) -> IndexPath? { nil }

    /// Asks the data source for the cell of a row.
    ///
    /// - Returns: nil if there is no such row.
    public func cellForRow(at indexPath: IndexPath) -> TableCell? {
        indexPath.isRow(of: counts) ? dataSource?.tableView(self, cellForRowAt: indexPath) : nil
    }
}
