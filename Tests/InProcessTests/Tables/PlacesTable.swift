import Foundation
import PasteboardKit
import TableDragAndDrop
import TestSupport

/// A table of texts whose rows are moved within it, and copied from elsewhere.
@MainActor
final class PlacesTable: TableDataSource, TableDragDelegate, TableDropDelegate {
    let table = Table()
    private(set) var rows: [String]
    private(set) var events: [String] = []

    init(_ rows: [String], on connection: PasteboardConnection) {
        self.rows = rows
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
        table.connection = connection
    }

    func register(_ name: String = "places") async throws {
        try await table.register(as: name, connection: table.connection)
    }

    /// Begins a drag of a row.
    func drag(_ row: Int) async throws -> PasteboardKit.Drag? {
        try await table.beginDrag(at: IndexPath(row: row, section: 0))
    }

    /// Returns as soon as the event has happened.
    func happened(_ event: String) async throws {
        try await eventually(event) { events.contains(event) }
    }

    /// Inserts a row into the model alone. The placeholder's commit updates the table.
    func insertSilently(_ text: String, at path: IndexPath) {
        rows.insert(text, at: path.row)
    }

    // MARK: Rows

    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { rows.count }
    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool { true }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        rows.insert(rows.remove(at: sourceIndexPath.row), at: destinationIndexPath.row)
    }

    // MARK: Dragging

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] { [.text(rows[indexPath.row])] }

    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem] { [.text(rows[indexPath.row])] }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) { events.append("will begin") }
    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) { events.append("did end") }
    func tableView(_ tableView: Table, dragSessionAllowsMoveBetweenProcesses session: any DragSession) -> Bool { true }
    func tableView(
        _ tableView: Table,
        dragSession session: any DragSession,
        didTransferItemsBy operation: DropOperation
    ) { events.append("did transfer by \(operation)") }

    // MARK: Dropping

    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) { events.append("enter") }
    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) { events.append("exit") }
    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) { events.append("end") }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        TableDropProposal(operation: tableView.hasActiveDrag ? .move : .copy, intent: .insertAtDestinationIndexPath)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        let row = coordinator.destinationIndexPath?.row ?? rows.count
        coordinator.session.loadObjects(ofClass: String.self) { [self] texts in
            rows.insert(contentsOf: texts, at: row)
            table.insertRows(at: texts.indices.map { IndexPath(row: row + $0, section: 0) })
        }
    }
}

extension PasteboardKit.Drag {
    /// Drops the drag at a row of a destination, and returns the outcome.
    @discardableResult
    func drop(at row: Int, of name: String = "places") async throws -> String {
        try await move(to: .row(row, of: name))
        try await drop()
        return try await outcome().text
    }
}
