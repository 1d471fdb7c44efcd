import TableDragAndDrop

/// A list of cities. Rows are dragged out of it and rearranged; what is dropped waits behind a placeholder until it is there.
@MainActor
final class CityList: NSObject, UITableViewDataSource, UITableViewDragDelegate, UITableViewDropDelegate {
    let tableView: UITableView
    private(set) var cities: [String]

    init(_ cities: [String]) {
        self.cities = cities
        tableView = UITableView()
        super.init()
        tableView.dataSource = self
        tableView.dragDelegate = self
        tableView.dropDelegate = self
        tableView.dragInteractionEnabled = true
    }

    // MARK: - UITableViewDataSource

    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        cities.count
    }

    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "city", for: indexPath)
        cell.textLabel?.text = cities[indexPath.row]
        return cell
    }

    func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        true
    }

    func tableView(
        _ tableView: UITableView,
        moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {
        cities.insert(cities.remove(at: sourceIndexPath.row), at: destinationIndexPath.row)
    }

    // MARK: - UITableViewDragDelegate

    func tableView(
        _ tableView: UITableView,
        itemsForBeginning session: UIDragSession,
        at indexPath: IndexPath
    ) -> [UIDragItem] {
        let dragItem = UIDragItem(itemProvider: NSItemProvider(object: cities[indexPath.row] as NSString))
        dragItem.localObject = cities[indexPath.row]
        return [dragItem]
    }

    // MARK: - UITableViewDropDelegate

    func tableView(_ tableView: UITableView, canHandle session: UIDropSession) -> Bool {
        session.canLoadObjects(ofClass: NSString.self)
    }

    func tableView(
        _ tableView: UITableView,
        dropSessionDidUpdate session: UIDropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> UITableViewDropProposal {
        if tableView.hasActiveDrag {
            return UITableViewDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        }
        return UITableViewDropProposal(operation: .copy, intent: .insertAtDestinationIndexPath)
    }

    func tableView(_ tableView: UITableView, performDropWith coordinator: UITableViewDropCoordinator) {
        var insertion = coordinator.destinationIndexPath ?? IndexPath(row: cities.count, section: 0)
        for item in coordinator.items {
            let placeholder = UITableViewDropPlaceholder(
                insertionIndexPath: insertion,
                reuseIdentifier: "arriving",
                rowHeight: UITableView.automaticDimension
            )
            placeholder.cellUpdateHandler = { _ in }
            let context = coordinator.drop(item.dragItem, to: placeholder)
            insertion.row += 1
            item.dragItem.itemProvider.loadObject(ofClass: NSString.self) { object, _ in
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
