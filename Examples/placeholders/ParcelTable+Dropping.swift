import FoundationEssentials
import PasteboardKit
import SampleModels
import Stage
import TableDragAndDrop

extension ParcelTable: TableDropDelegate {
    func tableView(_ tableView: Table, canHandle session: any DropSession) -> Bool {
        let canHandle = ParcelAcceptance.canHandle(session)
        trace.line("can-handle", label, canHandle ? "yes" : "no")
        return canHandle
    }

    func tableView(_ tableView: Table, dropSessionDidEnter session: any DropSession) {
        trace.line("enter", label)
    }

    func tableView(
        _ tableView: Table,
        dropSessionDidUpdate session: any DropSession,
        withDestinationIndexPath destinationIndexPath: IndexPath?
    ) -> TableDropProposal {
        let proposal = ParcelAcceptance.proposal(
            hasActiveDrag: tableView.hasActiveDrag && session.localDragSession != nil
        )
        trace.update(label, destinationIndexPath, proposal)
        return proposal
    }

    func tableView(_ tableView: Table, dropSessionDidExit session: any DropSession) {
        trace.exit(label, session)
    }

    func tableView(_ tableView: Table, performDropWith coordinator: any TableDropCoordinator) {
        trace.perform(label, coordinator)
        let path = coordinator.destinationIndexPath ?? IndexPath(row: shelf.parcels.count, section: 0)
        // The source rows are read before anything changes, because any change invalidates them.
        let arrivals = coordinator.items.map { item in
            ParcelAcceptance.arrival(
                source: item.sourceIndexPath,
                local: item.dragItem.localObject,
                isOwn: isOwn(item.dragItem, of: coordinator.session)
            )
        }
        let rows = moveRows(arrivals, to: path)
        // After the rows that have moved there.
        let next = path.row + rows.keys.count { $0 >= path.row }
        var place = Place(row: next, shownRow: next)
        for (item, arrival) in zip(coordinator.items.map(\.dragItem), arrivals) {
            switch arrival {
            case .row(let source):
                if let row = rows[source.row] { coordinator.drop(item, toRowAt: IndexPath(row: row, section: 0)) }
            case .local(let parcel):
                insert(parcel, at: place.row)
                coordinator.drop(item, toRowAt: IndexPath(row: place.row, section: path.section))
                place.row += 1
                place.shownRow += 1
            case .never:
                trace.line("moved nothing", label)
            case .bytes:
                wait(for: item, at: IndexPath(row: place.shownRow, section: path.section), coordinator)
                place.shownRow += 1
            }
        }
    }

    func tableView(_ tableView: Table, dropSessionDidEnd session: any DropSession) {
        trace.end(label, session)
    }

    // MARK: Arrival of items

    /// The index of the next item: among the parcels, and among the parcels and the drop's own placeholders.
    private struct Place {
        var row: Int
        var shownRow: Int
    }

    /// Moves the table's own rows to the location of the drop, in order.
    ///
    /// - Returns: the new index of each row.
    private func moveRows(_ arrivals: [ParcelAcceptance.Arrival], to path: IndexPath) -> [Int: Int] {
        let sources = arrivals.compactMap { if case .row(let source) = $0 { source.row } else { nil } }
        let moved = shelf.move(sources, before: path.row)
        table.performBatchUpdates { [table] in
            for (source, row) in moved {
                table.moveRow(at: IndexPath(row: source, section: 0), to: IndexPath(row: row, section: 0))
            }
        }
        for (source, row) in moved {
            trace.line("moved", label, "\(source)", "\(row)", "\(shelf.parcels[row])")
        }
        return Dictionary(moved, uniquingKeysWith: { first, _ in first })
    }

    /// Shows a placeholder and begins the load, which is possible only during the drop.
    private func wait(for item: DragItem, at shownPath: IndexPath, _ coordinator: any TableDropCoordinator) {
        let name = item.itemProvider.suggestedName ?? "something"
        let placeholder = TableDropPlaceholder(insertionIndexPath: shownPath, reuseIdentifier: "parcel")
        placeholder.cellUpdateHandler = { $0.textLabel?.text = "waiting for \(name)" }
        let context = coordinator.drop(item, to: placeholder)
        trace.line("waiting", label, name)
        let session = coordinator.session
        trace.load(session)
        let progress = item.itemProvider.loadObject(ofClass: String.self) { [self] text, error in
            Task { @MainActor in
                loads.removeAll { $0.context === context }
                if let text { arrived(text, in: context) } else { failed(name, error, in: context) }
                trace.loaded(session)
            }
        }
        loads.append((name, context, progress))
        Task { await follow(progress, of: name) }
    }

    /// Prints the progress of a load as its source reports it.
    private func follow(_ progress: LoadProgress, of name: String) async {
        var last = 0
        for await snapshot in progress.snapshots where snapshot.totalUnitCount != nil && !snapshot.isFinished {
            let percent = Int(snapshot.fractionCompleted * 100)
            if percent > last { trace.line("progress", label, "\(percent)", name) }
            last = max(last, percent)
        }
    }

    private func arrived(_ name: String, in context: any TableDropPlaceholderContext) {
        let isCommitted = context.commitInsertion { path in
            let row = shelf.insert(Parcel(.plain, name), at: path.row)
            trace.line("committed", label, "\(row)", name)
        }
        if !isCommitted { trace.line("gone", label, name) }
    }

    private func failed(_ name: String, _ error: (any Error)?, in context: any TableDropPlaceholderContext) {
        let reason = (error as? PasteboardError).map { "\($0.code)" } ?? "unknown"
        trace.line(context.deletePlaceholder() ? "deleted" : "gone", label, name, reason)
    }
}
