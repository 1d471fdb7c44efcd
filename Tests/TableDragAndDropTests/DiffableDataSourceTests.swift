import FoundationEssentials
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct DiffableDataSourceTests {
    typealias Snapshot = NSDiffableDataSourceSnapshot<String, Int>

    final class Source: UITableViewDiffableDataSource<String, Int> {
        override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool { true }
    }

    @Test("rows keep their selection through any change of the snapshot", arguments: Seeds.fixed(1))
    func random(first: UInt64) {
        for offset in 0..<100 as Range<UInt64> {
            var random = SeededGenerator(seed: first &+ offset)
            let table = UITableView()
            table.allowsMultipleSelection = true
            let source = Source(tableView: table) { _, _, _ in nil }
            for step in 0..<10 {
                var items = Array(0..<12).shuffled(using: &random)
                var snapshot = Snapshot()
                for section in ["a", "b", "c", "d"].shuffled(using: &random).prefix(.random(in: 1...4, using: &random))
                {
                    snapshot.appendSections([section])
                    let count = Int.random(in: 0...min(4, items.count), using: &random)
                    snapshot.appendItems(Array(items.prefix(count)))
                    items.removeFirst(count)
                }
                let selected = Set((table.indexPathsForSelectedRows ?? []).compactMap(source.itemIdentifier(for:)))
                let before = source.snapshot()
                source.apply(snapshot)
                let now = Set((table.indexPathsForSelectedRows ?? []).compactMap(source.itemIdentifier(for:)))
                // A row whose section comes or goes is selected no longer, unless it moves.
                let kept = selected.filter { snapshot.sectionIdentifier(containingItem: $0) != nil }
                #expect(now == kept, "seed \(first &+ offset), step \(step), before \(before.itemIdentifiers)")
                #expect(table.numberOfSections == snapshot.numberOfSections)
                for item in snapshot.itemIdentifiers where Bool.random(using: &random) {
                    table.selectRow(at: source.indexPath(for: item))
                }
            }
        }
    }

    @Test("items are inserted, moved and deleted beside others")
    func snapshot() {
        var snapshot = Snapshot()
        snapshot.appendSections(["a", "b"])
        snapshot.appendItems([1, 2], toSection: "a")
        snapshot.appendItems([3])
        snapshot.insertItems([4], beforeItem: 2)
        snapshot.insertItems([5], afterItem: 3)
        snapshot.moveItem(1, afterItem: 5)
        snapshot.deleteItems([3])
        #expect(snapshot.itemIdentifiers == [4, 2, 5, 1] && snapshot.numberOfItems(inSection: "b") == 2)
        #expect(snapshot.indexOfItem(5) == 2 && snapshot.indexOfSection("b") == 1)
        snapshot.deleteSections(["a"])
        #expect(snapshot.itemIdentifiers == [5, 1] && snapshot.sectionIdentifier(containingItem: 4) == nil)
    }

    @Test("a snapshot that is applied twice in one batch, or without a view, or with a reload, is shown")
    func applied() {
        var snapshot = Snapshot()
        snapshot.appendSections(["a"])
        snapshot.appendItems([1, 2])
        var table: UITableView? = UITableView()
        let source = Source(tableView: table ?? UITableView()) { _, _, _ in nil }
        source.apply(snapshot)
        table?.performBatchUpdates({
            for item in [3, 4] {
                snapshot.insertItems([item], beforeItem: 1)
                source.apply(snapshot)
            }
        })
        #expect(table?.numberOfRows(inSection: 0) == 4)
        snapshot.reloadItems([1])
        source.apply(snapshot)
        table?.selectRow(at: source.indexPath(for: 1))
        var next = source.snapshot()
        next.appendItems([5])
        source.apply(next) { #expect(table?.numberOfRows(inSection: 0) == 5) }
        #expect(table?.indexPathForSelectedRow == source.indexPath(for: 1))
        table = nil
        source.apply(Snapshot())
        #expect(source.snapshot().itemIdentifiers.isEmpty)
    }

    @Test("a placeholder over a snapshot becomes a row by applying one, and stays at a move of a row")
    func placeholder() throws {
        /// Moves rows as programs for UIKit do.
        final class Moving: UITableViewDiffableDataSource<String, Int> {
            override func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool { true }
            override func tableView(_ tableView: UITableView, moveRowAt source: IndexPath, to target: IndexPath) {
                var snapshot = snapshot()
                guard let moved = itemIdentifier(for: source), let other = itemIdentifier(for: target) else { return }
                snapshot.moveItem(moved, beforeItem: other)
                apply(snapshot)
            }
        }
        var snapshot = Snapshot()
        snapshot.appendSections(["a"])
        snapshot.appendItems([1, 2, 3])
        final class Drops: UITableViewDropDelegate {
            func tableView(_ tableView: UITableView, performDropWith coordinator: any UITableViewDropCoordinator) {}
        }
        let (table, drops) = (UITableView(), Drops())
        table.dropDelegate = drops
        let source = Moving(tableView: table) { _, _, _ in nil }
        source.apply(snapshot)
        let row = IndexPath(row: 2, section: 0)
        let drop = RowDrop(TestDrop(texts: "n"), at: row, proposal: TableDropProposal(operation: .copy), view: table)
        let placeholder = TableDropPlaceholder(insertionIndexPath: row, reuseIdentifier: "n")
        let context = drop.drop(drop.items[0].dragItem, to: placeholder)

        let drag = TestDrag()
        let items = [DragItem(text: "2")]
        table.draggedRows.record(items, at: IndexPath(row: 1, section: 0), since: table.draggedRows.revision)
        let session = TestDrop(items, from: drag)
        table.drops[ObjectIdentifier(session)] = TableDropProposal(
            operation: .move,
            intent: .insertAtDestinationIndexPath
        )
        table.perform(session, at: IndexPath(row: 0, section: 0), operation: .move)
        #expect(source.snapshot().itemIdentifiers == [2, 1, 3] && table.presentedRows(inSection: 0).count == 4)

        let isCommitted = context.commitInsertion { path in
            var snapshot = source.snapshot()
            snapshot.insertItems([9], beforeItem: 3)
            source.apply(snapshot)
        }
        #expect(isCommitted && table.presentedRows(inSection: 0).count == 4 && table.numberOfRows(inSection: 0) == 4)
    }

    @Test("the cell provider makes the cells of tables and of collection views")
    func cells() {
        var snapshot = Snapshot()
        snapshot.appendSections(["a"])
        snapshot.appendItems([7])
        let path = IndexPath(item: 0, section: 0)
        let table = UITableView()
        let source = Source(tableView: table) { _, _, item in
            UITableViewCell(style: .default, reuseIdentifier: "\(item)")
        }
        source.apply(snapshot, animatingDifferences: false)
        #expect(table.cellForRow(at: path)?.reuseIdentifier == "7")
        let collection = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewLayout())
        let items = UICollectionViewDiffableDataSource<String, Int>(collectionView: collection) { view, path, item in
            view.dequeueReusableCell(withReuseIdentifier: "\(item)", for: path)
        }
        items.apply(snapshot)
        #expect(collection.cellForItem(at: path)?.reuseIdentifier == "7")
    }
}
