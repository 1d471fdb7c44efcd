import Foundation
import PasteboardKit
import SampleModels
import Stage
import TableDragAndDrop

/// A table of places and its delegates, which ask the rules and update the model.
@MainActor
final class PlacesTable {
    let table = Table()
    let label: String?
    private(set) var places = PlaceNames()
    private let acceptance: PlaceAcceptance
    private let packaging: PlacePackaging
    private let trace: TraceLog
    /// The most recent session.
    private(set) var session: (any DropSession)?

    /// The single role of a table that is not both a source and a destination.
    enum Role: String {
        case drag, drop
    }

    init(_ label: String?, only role: Role?, acceptance: PlaceAcceptance, trace: TraceLog) {
        self.label = label
        self.acceptance = acceptance
        self.trace = trace
        packaging = PlacePackaging { trace.line("asked", $0) }
        table.dataSource = self
        if role != .drop { table.dragDelegate = self }
        if role != .drag { table.dropDelegate = self }
    }

    func show() {
        trace.show(label, table) { places.names[$0] }
    }

    func insert(_ name: String, at row: Int) {
        insert([name], at: IndexPath(row: row, section: 0))
    }

    func remove(at row: Int) {
        guard let name = places.remove(at: row) else { return trace.line("no row", label, "\(row)") }
        table.deleteRows(at: [IndexPath(row: row, section: 0)])
        trace.line("removed", label, "\(row)", name)
    }

    /// Tries to load an item of the most recent session, whether or not its drop window is open.
    func peek() {
        guard let item = session?.items.first else { return trace.line("peeked", label, "nothing") }
        item.itemProvider.loadObject(ofClass: String.self) { [trace, label] text, error in
            let reason = (error as? PasteboardError).map { "\($0.code)" }
            if let text { trace.line("peeked", label, text) } else { trace.line("peeked", label, "nothing", reason) }
        }
    }

    /// Moves a row of the table itself that was dropped on empty space. If rows have changed since, its index is
    /// unknown, and it stays in its row.
    private func move(_ coordinator: any TableDropCoordinator, to path: IndexPath) {
        guard let item = coordinator.items.first, let source = item.sourceIndexPath else {
            return trace.line("moved nothing", label)
        }
        let target = IndexPath(row: min(path.row, places.names.count - 1), section: path.section)
        if target != source {
            tableView(table, moveRowAt: source, to: target)
            table.moveRow(at: source, to: target)
        }
        coordinator.drop(item.dragItem, toRowAt: target)
    }

    private func insert(_ names: [String], at path: IndexPath) {
        let paths = places.insert(names, at: path)
        table.insertRows(at: paths)
        for (path, name) in zip(paths, names) { trace.line("inserted", label, "\(path.row)", name) }
    }
}

extension PlacesTable: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { places.names.count }

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool {
        trace.line("can-move", label, "\(indexPath.row)")
        return true
    }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        guard let name = places.move(from: sourceIndexPath.row, to: destinationIndexPath.row) else { return }
        trace.line("moved", label, "\(sourceIndexPath.row)", "\(destinationIndexPath.row)", name)
    }
}

extension PlacesTable: TableDragDelegate {
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        packaging.items(forRow: indexPath.row, of: places)
    }

    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem] {
        packaging.items(forRow: indexPath.row, of: places)
    }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
        trace.line("will-begin", label)
    }

    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {
        trace.line("did-end", label)
    }

    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
        // Other destinations have copies, so the rows stay.
        trace.line("transferred", label)
    }
}

extension PlacesTable: TableDropDelegate {
    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool {
        let canHandle = acceptance.canHandle(session)
        trace.line("can-handle", label, canHandle ? "yes" : "no")
        return canHandle
    }

    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {
        trace.line("enter", label)
        self.session = session
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        let proposal = acceptance.proposal(
            for: session,
            hasActiveDrag: tableView.hasActiveDrag,
            isEditing: tableView.isEditing
        )
        trace.update(label, destinationIndexPath, proposal)
        return proposal
    }

    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {
        trace.exit(label, session)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        trace.perform(label, coordinator)
        let counts = (0..<tableView.numberOfSections).map { tableView.numberOfRows(inSection: $0) }
        guard let path = acceptance.destination(hovered: coordinator.destinationIndexPath, rowCounts: counts) else {
            return
        }
        guard coordinator.proposal.operation == .copy else { return move(coordinator, to: path) }
        let session = coordinator.session
        trace.load(session)
        session.loadObjects(ofClass: String.self) { [self] names in
            if names.isEmpty { trace.line("loaded nothing", label) }
            insert(names, at: path)
            trace.loaded(session)
        }
    }

    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {
        trace.end(label, session)
    }
}
