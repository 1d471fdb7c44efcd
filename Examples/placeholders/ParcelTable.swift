import Foundation
import PasteboardKit
import SampleModels
import Stage
import TableDragAndDrop

/// A table of parcels, and its delegates for drags; those for drops are in `ParcelTable+Dropping.swift`.
@MainActor
final class ParcelTable {
    let table = Table()
    let label: String
    var shelf: ParcelShelf
    /// The loads of the placeholders.
    var loads: [(name: String, context: any TableDropPlaceholderContext, progress: LoadProgress)] = []
    let trace: TraceLog
    /// The items that were dragged from here.
    private var dragged: [Dragged] = []
    private let packaging: ParcelPackaging

    init(_ label: String, _ shelf: ParcelShelf, packaging: ParcelPackaging, trace: TraceLog) {
        self.label = label
        self.packaging = packaging
        self.trace = trace
        self.shelf = shelf
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
    }

    func show() {
        trace.show(label, table) { "\(shelf.parcels[$0])" }
    }

    func insert(_ parcel: Parcel, at row: Int) {
        let row = shelf.insert(parcel, at: row)
        table.insertRows(at: [IndexPath(row: row, section: 0)])
        trace.line("inserted", label, "\(row)", "\(parcel)")
    }

    func remove(at row: Int) {
        guard let parcel = shelf.remove(at: row) else { return trace.line("no row", label, "\(row)") }
        table.deleteRows(at: [IndexPath(row: row, section: 0)])
        trace.line("removed", label, "\(row)", "\(parcel)")
    }

    private func items(forRow row: Int) -> [DragItem] {
        let items = packaging.items(for: shelf.parcels[row])
        dragged.removeAll { $0.item == nil }
        dragged += items.map(Dragged.init)
        return items
    }

    /// Whether an item of a session was dragged from this table, even if its row has changed since.
    func isOwn(_ item: DragItem, of session: any DropSession) -> Bool {
        guard let drag = session.localDragSession, let index = session.items.firstIndex(where: { $0 === item }),
            drag.items.indices.contains(index)
        else { return false }
        return dragged.contains { $0.item === drag.items[index] }
    }

    /// The loads of a name that are in progress.
    func loads(of name: String) -> [LoadProgress] {
        loads.filter { $0.name == name }.map(\.progress)
    }
}

/// A dragged item, valid during its drag.
private struct Dragged {
    weak var item: DragItem?
}

extension ParcelTable: TableDataSource {
    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { shelf.parcels.count }
}

extension ParcelTable: TableDragDelegate {
    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        items(forRow: indexPath.row)
    }

    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem] {
        items(forRow: indexPath.row)
    }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
        trace.line("will-begin", label)
    }

    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {
        trace.line("did-end", label)
    }

    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
        // Other destinations have copies, and the table has already moved its own rows.
        trace.line("transferred", label)
    }
}
