import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop

extension TerminalPlaces: TableDropDelegate {
    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool {
        acceptance.canHandle(session)
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
        came(Visit(session: session, path: destinationIndexPath, proposal: proposal))
        return proposal
    }

    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {
        ended(session)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        ended(coordinator.session)
        guard
            let path = acceptance.destination(hovered: coordinator.destinationIndexPath, rowCounts: rowCounts)
        else { return }
        if coordinator.proposal.operation == .move, let session = coordinator.session.localDragSession {
            return move(coordinator, of: session, to: path)
        }
        for (offset, item) in coordinator.items.enumerated() {
            wait(for: item.dragItem, at: IndexPath(row: path.row + offset, section: path.section), coordinator)
        }
    }

    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {
        ended(session)
    }

    /// Moves the table's own row when the table has forgotten its index, because other rows have arrived since it was
    /// dragged.
    private func move(_ coordinator: any TableDropCoordinator, of session: any DragSession, to path: IndexPath) {
        guard let lifted, lifted.session === session, let item = coordinator.items.first else { return }
        let source = IndexPath(row: lifted.row, section: path.section)
        let target = IndexPath(row: min(path.row, places.names.count - 1), section: path.section)
        table.performBatchUpdates { [self] in
            tableView(table, moveRowAt: source, to: target)
            table.moveRow(at: source, to: target)
        }
        coordinator.drop(item.dragItem, toRowAt: target)
    }

    // MARK: Arriving items

    /// Shows a placeholder with the progress of the load until the name has arrived or the load has failed.
    private func wait(for item: DragItem, at path: IndexPath, _ coordinator: any TableDropCoordinator) {
        let name = item.itemProvider.words
        let kind = "load of \(ObjectIdentifier(item))"
        let placeholder = TableDropPlaceholder(insertionIndexPath: path, reuseIdentifier: kind)
        placeholder.cellUpdateHandler = { $0.textLabel?.text = name }
        let context = coordinator.drop(item, to: placeholder)
        keepCursor(1, from: kind)
        focus = index(of: kind)
        let progress = item.itemProvider.loadObject(ofClass: String.self) { [self] text, error in
            Task { @MainActor in
                let isStopped = loads.removeValue(forKey: kind)?.isCancelled ?? false
                if let text { return arrived(text, in: context) }
                keepCursor(-1, from: kind)
                context.deletePlaceholder()
                let reason = error.map { "\($0)" } ?? "nobody says why"
                say(isStopped ? "\(name) was stopped" : "\(name) does not come: \(reason)")
            }
        }
        loads[kind] = progress
        Task { for await _ in progress.snapshots { show() } }
        say("\(name) comes")
    }

    private func arrived(_ name: String, in context: any TableDropPlaceholderContext) {
        context.commitInsertion { insert(name, at: $0) }
        say("\(name.words) has come")
    }
}
