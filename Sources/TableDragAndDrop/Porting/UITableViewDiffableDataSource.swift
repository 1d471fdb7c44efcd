public import Foundation

/// The data source of a table, or a collection view, that shows a snapshot, and reports the differences to the previous
/// one to the view.
@MainActor
open class UITableViewDiffableDataSource<Section: Hashable, Item: Hashable>: TableDataSource,
    UICollectionViewDataSource
{
    /// The animation of changes, which makes no difference.
    public var defaultRowAnimation = RowsView.RowAnimation.automatic
    private weak var view: RowsView?
    private var current = NSDiffableDataSourceSnapshot<Section, Item>()
    private let tableCell: ((Table, IndexPath, Item) -> TableCell?)?
    private let collectionCell: ((UICollectionView, IndexPath, Item) -> UICollectionViewCell?)?

    /// Makes the data source of a table, with a function that makes cells.
    public init(tableView: Table, cellProvider: @escaping (Table, IndexPath, Item) -> TableCell?) {
        (view, tableCell, collectionCell) = (tableView, cellProvider, nil)
        tableView.dataSource = self
    }

    /// Makes the data source of a collection view, with a function that makes cells.
    public init(
        collectionView: UICollectionView,
        cellProvider: @escaping (UICollectionView, IndexPath, Item) -> UICollectionViewCell?
    ) {
        (view, tableCell, collectionCell) = (collectionView, nil, cellProvider)
        collectionView.dataSource = self
    }

    /// Returns the snapshot that the view shows.
    open func snapshot() -> NSDiffableDataSourceSnapshot<Section, Item> { current }

    /// Shows another snapshot. Rows that are in both keep their selection and their placeholders.
    ///
    /// - Parameters:
    ///   - snapshot: the new sections and items.
    ///   - animatingDifferences: makes no difference.
    ///   - completion: runs after the view was notified.
    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<Section, Item>,
        animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) {
        let old = current
        guard let view else {
            current = snapshot
            completion?()
            return
        }
        view.performBatchUpdates(
            {
                // The paths of a second report in one batch would not be those from before the batch.
                let isFirst = view.batch?.updates == RowUpdates()
                current = snapshot
                if isFirst { report(from: old) } else { view.reloadData() }
                current.forgetReloads()
            },
            completion: { _ in completion?() }
        )
    }

    /// Shows another snapshot, as if all of its rows were new.
    open func applySnapshotUsingReloadData(_ snapshot: NSDiffableDataSourceSnapshot<Section, Item>) {
        current = snapshot
        view?.reloadData()
    }

    /// Returns the item at an index path.
    open func itemIdentifier(for indexPath: IndexPath) -> Item? {
        sectionIdentifier(for: indexPath.section).flatMap { section in
            let items = current.itemIdentifiers(inSection: section)
            return items.indices.contains(indexPath.row) ? items[indexPath.row] : nil
        }
    }

    /// Returns the index path of an item.
    open func indexPath(for item: Item) -> IndexPath? { Self.paths(current)[item] }

    /// Returns the section at an index.
    open func sectionIdentifier(for index: Int) -> Section? {
        current.sectionIdentifiers.indices.contains(index) ? current.sectionIdentifiers[index] : nil
    }

    private static func paths(_ snapshot: NSDiffableDataSourceSnapshot<Section, Item>) -> [Item: IndexPath] {
        let paths = snapshot.sectionIdentifiers.enumerated().flatMap { section, identifier in
            snapshot.itemIdentifiers(inSection: identifier).enumerated().map {
                ($1, IndexPath(row: $0, section: section))
            }
        }
        return Dictionary(paths) { _, _ in endProgram("An item is in the snapshot twice.") }
    }

    /// Reports the fewest changes to the view, so that placeholders stay at their rows.
    private func report(from old: NSDiffableDataSourceSnapshot<Section, Item>) {
        let (before, after) = (Self.paths(old), Self.paths(current))
        let sections = current.sectionIdentifiers.difference(from: old.sectionIdentifiers).inferringMoves()
        for case .remove(let index, _, let target) in sections {
            if let target { view?.moveSection(index, toSection: target) } else { view?.deleteSections([index]) }
        }
        for case .insert(let index, _, nil) in sections { view?.insertSections([index]) }

        var removed: Set<Item> = []
        var added: Set<Item> = []
        for section in Set(old.sectionIdentifiers).union(current.sectionIdentifiers) {
            let rows = current.itemIdentifiers(inSection: section)
            for change in rows.difference(from: old.itemIdentifiers(inSection: section)) {
                switch change {
                case .remove(_, let item, _): removed.insert(item)
                case .insert(_, let item, _): added.insert(item)
                }
            }
        }
        for item in removed {
            guard let path = before[item] else { continue }
            if let target = after[item] { view?.moveRow(at: path, to: target) } else { view?.deleteRows(at: [path]) }
        }
        view?.insertRows(at: added.subtracting(removed).compactMap { after[$0] })
        view?.reloadRows(at: current.reloadedItemIdentifiers.compactMap { before[$0] })
    }

    // The view's calls, which subclasses may override.

    /// Returns the number of sections of the snapshot.
    open func numberOfSections(in tableView: Table) -> Int { current.numberOfSections }
    /// Returns the number of sections of the snapshot.
    open func numberOfSections(in collectionView: UICollectionView) -> Int { current.numberOfSections }
    /// Returns the number of items of a section of the snapshot.
    open func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { count(section) }
    /// Returns the number of items of a section of the snapshot.
    open func collectionView(_ view: UICollectionView, numberOfItemsInSection section: Int) -> Int { count(section) }
    /// Returns the cell that the cell provider makes.
    open func tableView(_ tableView: Table, cellForRowAt indexPath: IndexPath) -> TableCell {
        itemIdentifier(for: indexPath).flatMap { tableCell?(tableView, indexPath, $0) } ?? TableCell()
    }
    /// Returns the cell that the cell provider makes.
    open func collectionView(_ view: UICollectionView, cellForItemAt path: IndexPath) -> UICollectionViewCell {
        itemIdentifier(for: path).flatMap { collectionCell?(view, path, $0) } ?? UICollectionViewCell()
    }
    /// Returns nil.
    open func tableView(_ tableView: Table, titleForHeaderInSection section: Int) -> String? { nil }
    /// Returns false.
    open func tableView(_ tableView: Table, canEditRowAt indexPath: IndexPath) -> Bool { false }
    /// Does nothing.
    open func tableView(_ table: Table, commit editingStyle: TableCell.EditingStyle, forRowAt indexPath: IndexPath) {}
    /// Returns false.
    open func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { false }
    /// Does nothing. The row is then dropped.
    open func tableView(_ tableView: Table, moveRowAt source: IndexPath, to destination: IndexPath) {
        tableView.unanswered()
    }
    /// Returns false.
    open func collectionView(_ view: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool { false }
    /// Does nothing. The item is then dropped.
    open func collectionView(_ view: UICollectionView, moveItemAt source: IndexPath, to destination: IndexPath) {
        view.unanswered()
    }

    private func count(_ section: Int) -> Int {
        sectionIdentifier(for: section).map { current.numberOfItems(inSection: $0) } ?? 0
    }
}

/// A diffable data source of a collection view.
public typealias UICollectionViewDiffableDataSource = UITableViewDiffableDataSource
