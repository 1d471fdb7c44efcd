import Foundation
import TestSupport
import Testing

@testable import TableDragAndDrop

@Suite(.inProcess)
@MainActor
struct CollectionViewTests {
    /// One class that serves a table and a collection view, as controllers for UIKit do.
    final class Shelf: UITableViewDataSource, UITableViewDragDelegate, UITableViewDropDelegate,
        UICollectionViewDataSource, UICollectionViewDragDelegate, UICollectionViewDropDelegate
    {
        let table = UITableView()
        let collection = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        var rows = ["a", "b"]
        var items = ["x", "y", "z"]
        var events: [String] = []
        var context: (any UICollectionViewDropPlaceholderContext)?

        init() {
            (table.dataSource, table.dragDelegate, table.dropDelegate) = (self, self, self)
            (collection.dataSource, collection.dragDelegate, collection.dropDelegate) = (self, self, self)
        }

        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { rows.count }
        func tableView(
            _ tableView: UITableView,
            itemsForBeginning session: any UIDragSession,
            at indexPath: IndexPath
        ) -> [UIDragItem] { [UIDragItem(text: rows[indexPath.row])] }
        func tableView(_ tableView: UITableView, performDropWith coordinator: any UITableViewDropCoordinator) {
            events.append("table drop from \(coordinator.items[0].sourceIndexPath?.text ?? "-")")
        }

        func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
            items.count
        }
        func collectionView(
            _ collectionView: UICollectionView,
            cellForItemAt indexPath: IndexPath
        ) -> UICollectionViewCell {
            collectionView.dequeueReusableCell(withReuseIdentifier: items[indexPath.item], for: indexPath)
        }
        func collectionView(
            _ collectionView: UICollectionView,
            moveItemAt source: IndexPath,
            to destination: IndexPath
        ) {
            items.insert(items.remove(at: source.item), at: destination.item)
        }
        func collectionView(
            _ collectionView: UICollectionView,
            itemsForBeginning session: any UIDragSession,
            at indexPath: IndexPath
        ) -> [UIDragItem] { [UIDragItem(text: items[indexPath.item])] }
        func collectionView(
            _ collectionView: UICollectionView,
            dropSessionDidUpdate session: any UIDropSession,
            withDestinationIndexPath destinationIndexPath: IndexPath?
        ) -> UICollectionViewDropProposal {
            UICollectionViewDropProposal(
                operation: session.localDragSession == nil ? .copy : .move,
                intent: .insertAtDestinationIndexPath
            )
        }
        func collectionView(
            _ collectionView: UICollectionView,
            performDropWith coordinator: any UICollectionViewDropCoordinator
        ) {
            events.append("collection drop")
            let placeholder = UICollectionViewDropPlaceholder(
                insertionIndexPath: coordinator.destinationIndexPath ?? IndexPath(item: 0, section: 0),
                reuseIdentifier: "waiting"
            )
            placeholder.cellUpdateHandler = { cell in (cell as? WaitingCell)?.updates += 1 }
            context = coordinator.drop(coordinator.items[0].dragItem, to: placeholder)
        }
    }

    final class WaitingCell: UICollectionViewCell { var updates = 0 }

    let shelf = Shelf()

    private func drop(_ items: [DragItem], from drag: TestDrag?, on view: RowsView, at row: Int) {
        let session = TestDrop(items, from: drag)
        let path = IndexPath(item: row, section: 0)
        view.enter(session)
        let proposal = view.update(session, at: path)
        view.perform(session, at: path, operation: proposal.operation)
        view.end(session)
    }

    @Test("a class that serves a table and a collection view is asked about each by the methods for it")
    func bothKinds() {
        #expect(shelf.table.numberOfRows(inSection: 0) == 2 && shelf.collection.numberOfItems(inSection: 0) == 3)
        let path = IndexPath(item: 2, section: 0)
        #expect(shelf.table.itemsForBeginning(TestDrag(), at: path).isEmpty)
        let items = shelf.collection.itemsForBeginning(TestDrag(), at: path)
        #expect(items.count == 1 && shelf.collection.sourceIndexPath(of: items[0]) == path)
        drop([UIDragItem(text: "n")], from: nil, on: shelf.table, at: 0)
        drop([UIDragItem(text: "n")], from: nil, on: shelf.collection, at: 0)
        #expect(shelf.events == ["table drop from -", "collection drop"])
        #expect(shelf.collection.cellForItem(at: path)?.reuseIdentifier == "z")
    }

    @Test("an item that is dropped on itself stays there, and the delegate may direct it elsewhere")
    func directed() {
        final class First: UICollectionViewDelegate {
            func collectionView(
                _ collectionView: UICollectionView,
                targetIndexPathForMoveFromItemAt source: IndexPath,
                toProposedIndexPath proposed: IndexPath
            ) -> IndexPath { IndexPath(item: 0, section: 0) }
        }
        func move(_ item: Int, to destination: Int) {
            let drag = TestDrag()
            let items = shelf.collection.itemsForBeginning(drag, at: IndexPath(item: item, section: 0))
            _ = shelf.collection.willBegin(drag)
            drop(items, from: drag, on: shelf.collection, at: destination)
        }
        for destination in [2, 3] { move(2, to: destination) }
        #expect(shelf.items == ["x", "y", "z"] && shelf.events.isEmpty)
        let first = First()
        shelf.collection.delegate = first
        move(1, to: 3)
        #expect(shelf.items == ["y", "x", "z"] && shelf.events.isEmpty)
    }

    @Test("a placeholder has a cell of the class registered for it, and becomes an item")
    func placeholder() throws {
        shelf.collection.register(WaitingCell.self, forCellWithReuseIdentifier: "waiting")
        drop([UIDragItem(text: "n")], from: nil, on: shelf.collection, at: 1)
        let shown = shelf.collection.presentedItems(inSection: 0)
        guard case .placeholder(let cell as WaitingCell) = shown[1] else { throw Missing() }
        #expect(cell.updates == 1 && shown.count == 4 && shelf.collection.hasUncommittedUpdates)
        shelf.context?.commitInsertion { shelf.items.insert("n", at: $0.item) }
        #expect(shelf.items == ["x", "n", "y", "z"] && shelf.collection.numberOfItems(inSection: 0) == 4)
    }

    @Test("a placeholder is removed with its section, and stays in one that is moved or reloaded")
    func sections() {
        drop([UIDragItem(text: "n")], from: nil, on: shelf.collection, at: 1)
        shelf.collection.reloadSections([0])
        #expect(shelf.collection.presentedItems(inSection: 0).count == 4)
        shelf.collection.performBatchUpdates {
            shelf.collection.deleteSections([0])
            shelf.collection.insertSections([0])
        }
        #expect(shelf.collection.presentedItems(inSection: 0).count == 3)
        #expect(shelf.context?.commitInsertion { _ in } == false)
    }

    @Test("a selected item replaces the previous one, unless several can be selected")
    func selection() {
        let paths = (0..<2).map { IndexPath(item: $0, section: 0) }
        for path in paths { shelf.collection.selectItem(at: path, animated: false, scrollPosition: .top) }
        #expect(shelf.collection.indexPathsForSelectedItems == [paths[1]])
        shelf.collection.allowsMultipleSelection = true
        shelf.collection.selectItem(at: paths[0], animated: false, scrollPosition: .centeredVertically)
        #expect(shelf.collection.indexPathsForSelectedItems == paths)
        shelf.collection.allowsSelection = false
        shelf.collection.selectItem(at: IndexPath(item: 2, section: 0), animated: false, scrollPosition: [])
        #expect(shelf.collection.indexPathsForSelectedItems == paths)
    }

    struct Missing: Error {}
}
