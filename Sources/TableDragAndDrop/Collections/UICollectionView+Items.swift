public import Foundation

// The names of collection views for the calls about rows.
extension UICollectionView {
    /// The number of items of the data source in a section; 0 if the section does not exist.
    public func numberOfItems(inSection section: Int) -> Int { numberOfRows(inSection: section) }
    /// Reports inserted items, by their paths after the insertion.
    public func insertItems(at indexPaths: [IndexPath]) { insertRows(at: indexPaths) }
    /// Reports deleted items, by their paths before the deletion.
    public func deleteItems(at indexPaths: [IndexPath]) { deleteRows(at: indexPaths) }
    /// Reports items whose contents were replaced. They are deselected.
    public func reloadItems(at indexPaths: [IndexPath]) { reloadRows(at: indexPaths) }
    /// Reports a moved item.
    public func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        moveRow(at: indexPath, to: newIndexPath)
    }
    /// The selected items in ascending order; nil if there are none.
    public var indexPathsForSelectedItems: [IndexPath]? { indexPathsForSelectedRows }
    /// Selects an item, as ``RowsView/selectRow(at:animated:scrollPosition:)`` does.
    public func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        selectRow(at: indexPath)
    }
    /// Deselects one item.
    public func deselectItem(at indexPath: IndexPath, animated: Bool) { deselectRow(at: indexPath) }
    /// Asks the data source for the cell of an item; returns nil if there is no such item.
    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? {
        indexPath.isRow(of: counts) ? dataSource?.collectionView(self, cellForItemAt: indexPath) : nil
    }
    /// Returns nil: without a screen, items have no place.
    public func indexPathForItem(at point: CGPoint) -> IndexPath? { nil }
    /// Sets the class of the cells that are made for an identifier; nil for an ordinary cell.
    public func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
        cellClasses[identifier] = cellClass
    }
    /// Sets the class of the views that are made for an identifier; nil for an ordinary view.
    public func register(
        _ viewClass: AnyClass?,
        forSupplementaryViewOfKind kind: String,
        withReuseIdentifier identifier: String
    ) { cellClasses["\(kind) \(identifier)"] = viewClass }
    /// Makes a view of the registered class, or an ordinary view.
    public func dequeueReusableSupplementaryView(
        ofKind kind: String,
        withReuseIdentifier identifier: String,
        for indexPath: IndexPath
    ) -> UICollectionReusableView { makeCell("\(kind) \(identifier)") }
    /// The kinds of views above and below the items of a section.
    public nonisolated static let elementKindSectionHeader = "header", elementKindSectionFooter = "footer"
    /// Makes a cell of the registered class, or an ordinary cell.
    public func dequeueReusableCell(
        withReuseIdentifier identifier: String,
        for indexPath: IndexPath
    ) -> UICollectionViewCell { makeCell(identifier) }
}
