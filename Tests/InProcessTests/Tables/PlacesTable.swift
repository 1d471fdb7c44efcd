import FoundationEssentials
import PasteboardKit
import TableDragAndDrop
import TestSupport

/// Apple's table-view sample: a table of place names whose rows are dragged and dropped as plain text.
@MainActor
final class PlacesTable: TableDataSource, TableDragDelegate, TableDropDelegate {
    /// The rules for drops: those of the sample's last revision (strict), or of an earlier one (permissive).
    enum Policy {
        case strict, permissive
    }

    let table = Table()
    let policy: Policy
    private(set) var sections: [[String]]
    private(set) var events: [String] = []
    /// The number of times that the bytes of a row were made.
    let made = Counter()
    /// A replacement for the sample's code.
    var onDrop: ((any TableDropCoordinator) -> Void)?
    var onUpdate: ((any DropSession) -> Void)?
    var canMoveRows = true

    init(_ policy: Policy, _ rows: [String]..., on connection: PasteboardConnection) {
        self.policy = policy
        sections = rows
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
        table.connection = connection
    }

    var rows: [String] { sections.first ?? [] }

    func register(_ name: String = "places") async throws {
        try await table.register(as: name, connection: table.connection)
    }

    /// Begins a drag of rows.
    func drag(_ rows: Int...) async throws -> PasteboardKit.Drag? {
        table.selectRow(at: nil)
        if rows.count > 1 { for row in rows { table.selectRow(at: IndexPath(row: row, section: 0)) } }
        return try await table.beginDrag(at: IndexPath(row: rows[0], section: 0))
    }

    /// Returns as soon as the event has happened.
    func happened(_ event: String) async throws {
        try await eventually(event) { events.contains(event) }
    }

    func insert(_ texts: [String], at path: IndexPath) {
        guard !sections.isEmpty else { return }
        // The section or row of the session's last location may no longer exist when the bytes arrive.
        let section = min(path.section, sections.count - 1)
        let row = min(path.row, sections[section].count)
        sections[section].insert(contentsOf: texts, at: row)
        table.insertRows(at: texts.indices.map { IndexPath(row: row + $0, section: section) })
        events.append("inserted \(texts.joined(separator: ",")) at \(row)")
    }

    func remove(at row: Int) {
        sections[0].remove(at: row)
        table.deleteRows(at: [IndexPath(row: row, section: 0)])
    }

    func replaceAll(_ sections: [[String]]) {
        self.sections = sections
        table.reloadData()
    }

    /// Inserts a row into the model alone. The placeholder's commit updates the table.
    func insertSilently(_ text: String, at path: IndexPath) {
        sections[path.section].insert(text, at: path.row)
    }

    /// Replaces the rows of the model alone. The caller's batch updates the table.
    func setSilently(_ rows: [String]) {
        sections[0] = rows
    }

    // MARK: Rows

    func numberOfSections(in tableView: Table) -> Int { sections.count }
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { sections[section].count }
    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { canMoveRows }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        let row = sections[sourceIndexPath.section].remove(at: sourceIndexPath.row)
        sections[destinationIndexPath.section].insert(row, at: destinationIndexPath.row)
        events.append("moved \(sourceIndexPath.row) to \(destinationIndexPath.row)")
    }

    // MARK: Dragging

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        items(at: indexPath)
    }

    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: Point
    ) -> [DragItem] {
        items(at: indexPath)
    }

    private func items(at indexPath: IndexPath) -> [DragItem] {
        let name = sections[indexPath.section][indexPath.row]
        // Text that cannot be packaged is not dragged.
        guard !name.isEmpty else { return [] }
        let data = Data(name.utf8)
        let provider = ItemProvider()
        provider.registerDataRepresentation(
            forTypeIdentifier: UniformType.plainText.identifier,
            visibility: .all
        ) { [made] completion in
            made.increment()
            completion(data, nil)
            return nil
        }
        return [DragItem(itemProvider: provider)]
    }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) { events.append("will begin") }
    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) { events.append("did end") }
    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
        events.append("did transfer")
    }

    // MARK: Dropping

    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool {
        session.canLoadObjects(ofClass: String.self)
    }

    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) { events.append("enter") }
    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) { events.append("exit") }
    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) { events.append("end") }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        onUpdate?(session)
        switch policy {
        case .strict:
            guard session.items.count == 1 else { return TableDropProposal(operation: .cancel) }
            guard tableView.hasActiveDrag else {
                return TableDropProposal(operation: .copy, intent: .insertAtDestinationIndexPath)
            }
            guard tableView.isEditing else { return TableDropProposal(operation: .cancel) }
            return TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        case .permissive:
            guard tableView.hasActiveDrag else {
                return TableDropProposal(operation: .copy, intent: .insertAtDestinationIndexPath)
            }
            guard session.items.count == 1 else { return TableDropProposal(operation: .cancel) }
            return TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath)
        }
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        let path = coordinator.destinationIndexPath.map { "\($0.row)" } ?? "-"
        events.append("perform at \(path), \(coordinator.proposal.operation) \(coordinator.proposal.intent)")
        if let onDrop { return onDrop(coordinator) }
        let section = tableView.numberOfSections - 1
        let end = IndexPath(row: tableView.numberOfRows(inSection: section), section: section)
        let destination = coordinator.destinationIndexPath ?? end
        coordinator.session.loadObjects(ofClass: String.self) { texts in
            MainActor.assertIsolated()
            self.insert(texts, at: destination)
        }
    }
}

extension PasteboardKit.Drag {
    /// Drops the drag at a row of a destination, and returns the outcome.
    @discardableResult
    func drop(at row: Int?, of name: String = "places") async throws -> String {
        try await move(to: .row(row, of: name))
        try await drop()
        return try await outcome().text
    }
}
