// The calls to the program's objects, which have other protocols for tables than for collection views. A class that
// serves both is asked about each view by the methods for its kind.
extension RowsView {
    /// Calls the data source; returns nil if there is none.
    @discardableResult
    func askDataSource<Answer>(
        _ table: (any TableDataSource, Table) -> Answer,
        _ collection: (any UICollectionViewDataSource, UICollectionView) -> Answer
    ) -> Answer? {
        if let view = self as? Table { return view.dataSource.map { table($0, view) } }
        return (self as? UICollectionView).flatMap { view in view.dataSource.map { collection($0, view) } }
    }

    /// Calls the drag delegate; returns nil if there is none.
    @discardableResult
    func askDragDelegate<Answer>(
        _ table: (any TableDragDelegate, Table) -> Answer,
        _ collection: (any UICollectionViewDragDelegate, UICollectionView) -> Answer
    ) -> Answer? {
        if let view = self as? Table { return view.dragDelegate.map { table($0, view) } }
        return (self as? UICollectionView).flatMap { view in view.dragDelegate.map { collection($0, view) } }
    }

    /// Calls the drop delegate; returns nil if there is none.
    @discardableResult
    func askDropDelegate<Answer>(
        _ table: (any TableDropDelegate, Table) -> Answer,
        _ collection: (any UICollectionViewDropDelegate, UICollectionView) -> Answer
    ) -> Answer? {
        if let view = self as? Table { return view.dropDelegate.map { table($0, view) } }
        return (self as? UICollectionView).flatMap { view in view.dropDelegate.map { collection($0, view) } }
    }

    var hasDataSource: Bool { askDataSource({ _, _ in true }, { _, _ in true }) ?? false }
    var hasDropDelegate: Bool { askDropDelegate({ _, _ in true }, { _, _ in true }) ?? false }
}
