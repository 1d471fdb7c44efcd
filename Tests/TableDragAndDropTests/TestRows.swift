import Foundation
import TableDragAndDrop

/// Rows of texts. It records all calls of the table to its data source and delegates.
@MainActor
class TestRows: TableDataSource, TableDragDelegate, TableDropDelegate {
    var sections: [[String]]
    var events: [String] = []
    var canMove = false
    var handles = true
    var allowsMove = true
    var isRestricted = false
    /// The proposal to return; nil returns the default of a table.
    var proposal: TableDropProposal?
    var onDrop: ((any TableDropCoordinator) -> Void)?
    /// Called when the table asks for items. The following closures are called when a session is over the table, and
    /// when the table asks whether a row can be moved or asks to move it.
    var onItems: (() -> Void)?
    var onHover: (() -> Void)?
    var onCanMove: (() -> Void)?
    var onMove: (() -> Void)?
    var destinations: [IndexPath?] = []

    init(_ sections: [String]...) {
        self.sections = sections
    }

    func makeTable() -> Table {
        let table = Table()
        table.dataSource = self
        table.dragDelegate = self
        table.dropDelegate = self
        table.allowsMultipleSelection = true
        return table
    }

    // MARK: Rows

    func numberOfSections(in tableView: Table) -> Int { sections.count }

    func tableView(_ tableView: Table, numberOfRowsInSection section: Int) -> Int { sections[section].count }

    func tableView(_ tableView: Table, canMoveRowAt indexPath: IndexPath) -> Bool {
        events.append("can move \(indexPath.text)")
        onCanMove?()
        return canMove
    }

    func tableView(_ tableView: Table, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath) {
        events.append("move \(sourceIndexPath.text) to \(destinationIndexPath.text)")
        let row = sections[sourceIndexPath.section].remove(at: sourceIndexPath.row)
        sections[destinationIndexPath.section].insert(row, at: destinationIndexPath.row)
        onMove?()
    }

    // MARK: Dragging

    func tableView(
        _ tableView: Table,
        itemsForBeginning session: any DragSession,
        at indexPath: IndexPath
    ) -> [DragItem] {
        events.append("items for \(indexPath.text)")
        let text = sections[indexPath.section][indexPath.row]
        onItems?()
        return text.isEmpty ? [] : [DragItem(text: text)]
    }

    func tableView(
        _ tableView: Table,
        itemsForAddingTo session: any DragSession,
        at indexPath: IndexPath,
        point: CGPoint
    ) -> [DragItem] {
        events.append("more items for \(indexPath.text)")
        let text = sections[indexPath.section][indexPath.row]
        onItems?()
        return [DragItem(text: text)]
    }

    func tableView(_ tableView: Table, dragSessionWillBegin session: any DragSession) {
        events.append("will begin\(tableView.hasActiveDrag ? "" : " inactive")")
    }

    func tableView(_ tableView: Table, dragSessionDidEnd session: any DragSession) {
        events.append("did end\(tableView.hasActiveDrag ? " active" : "")")
    }

    func tableView(_ tableView: Table, dragSessionAllowsMoveOperation session: any DragSession) -> Bool {
        events.append("allows move")
        return allowsMove
    }

    func tableView(_ tableView: Table, dragSessionIsRestrictedToDraggingApplication session: any DragSession) -> Bool {
        events.append("is restricted")
        return isRestricted
    }

    func tableView(_ tableView: Table, dragSessionDidTransferItems session: any DragSession) {
        events.append("did transfer")
    }

    // MARK: Dropping

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        events.append("perform")
        onDrop?(coordinator)
    }

    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool {
        events.append("can handle")
        onHover?()
        return handles
    }

    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {
        events.append("enter")
        onHover?()
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        events.append("update \(destinationIndexPath?.text ?? "-")")
        destinations.append(destinationIndexPath)
        onHover?()
        return proposal ?? TableDropProposal(operation: .copy)
    }

    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {
        events.append("exit")
        onHover?()
    }
    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {
        events.append("end")
        onHover?()
    }
}

extension IndexPath {
    var text: String { "\(section).\(row)" }
}

extension Table {
    /// The texts of the rows as a screen would show them.
    func texts(_ rows: TestRows, section: Int = 0) -> [String] {
        presentedRows(inSection: section).map {
            switch $0 {
            case .row(let path): rows.sections[path.section][path.row]
            case .placeholder(let cell): "<\(cell.textLabel?.text ?? "")>"
            }
        }
    }
}

extension TableDropCoordinator {
    /// Makes a placeholder for each item, in order.
    func dropAllToPlaceholders(at path: IndexPath) -> [any TableDropPlaceholderContext] {
        items.enumerated().map { index, item in
            let placeholder = TableDropPlaceholder(
                insertionIndexPath: IndexPath(row: path.row + index, section: path.section),
                reuseIdentifier: "row"
            )
            placeholder.cellUpdateHandler = { $0.textLabel?.text = "\(index)" }
            return drop(item.dragItem, to: placeholder)
        }
    }
}
