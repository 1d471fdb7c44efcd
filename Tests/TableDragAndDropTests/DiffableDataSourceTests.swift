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
