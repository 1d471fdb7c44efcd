import Foundation
import TableDragAndDrop

/// A list of cities. Rows are dragged out of it and rearranged; what is dropped waits behind a placeholder until it is there.
@MainActor
final class CityList: NSObject, TableDataSource, TableDragDelegate, TableDropDelegate {
    let tableView: Table
    private(set) var cities: [String]

    init(_ cities: [String]) {
        self.cities = cities
        tableView = Table()
        super.init()
        tableView.dataSource = self
        tableView.dragDelegate = self
        tableView.dropDelegate = self
        tableView.dragInteractionEnabled = true
    }

    // MARK: - TableDataSource

    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int {
        cities.count
    }

    #if os(iOS)
    func tableView(_ tableView: Table, cellForRowAt indexPath: IndexPath) -> TableCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "city", for: indexPath)
        cell.textLabel?.text = cities[indexPath.row]
        return cell
    }
    #endif

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool {
        true
    }

    func tableView(
        _ tableView: Table,
        moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {
        cities.insert(cities.remove(at: sourceIndexPath.row), at: destinationIndexPath.row)
    }

    // MARK: - TableDragDelegate

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        let dragItem = DragItem(itemProvider: ItemProvider(object: cities[indexPath.row] as String))
        dragItem.localObject = cities[indexPath.row]
        return [dragItem]
    }

    // MARK: - TableDropDelegate

    func tableView(_ tableView: Table, canHandle session: DropSession) -> Bool {
        session.canLoadObjects(ofClass: String.self)
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        if tableView.hasActiveDrag {
            return TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        }
        return TableDropProposal(operation: .copy, intent: .insertAtDestinationIndexPath)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: TableDropCoordinator) {
        var insertion = coordinator.destinationIndexPath ?? IndexPath(row: cities.count, section: 0)
        for item in coordinator.items {
            let placeholder = TableDropPlaceholder(
                insertionIndexPath: insertion,
                reuseIdentifier: "arriving",
                rowHeight: Table.automaticDimension
            )
            placeholder.cellUpdateHandler = { _ in }
            let context = coordinator.drop(item.dragItem, to: placeholder)
            insertion.row += 1
            item.dragItem.itemProvider.loadObject(ofClass: String.self) { object, _ in
                let city = object.map { $0 as String }
                DispatchQueue.main.async {
                    guard let city else {
                        context.deletePlaceholder()
                        return
                    }
                    context.commitInsertion { indexPath in
                        self.cities.insert(city, at: indexPath.row)
                    }
                }
            }
        }
    }
}
