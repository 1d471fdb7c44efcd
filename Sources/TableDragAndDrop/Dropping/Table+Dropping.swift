import FoundationEssentials
import PasteboardKit

extension Table {
    func canHandle(_ session: any DropSession) -> Bool {
        dropDelegate?.tableView(self, canHandle: session) ?? false
    }

    func enter(_ session: any DropSession) {
        drops[ObjectIdentifier(session)] = TableDropProposal(operation: .cancel)
        dropDelegate?.tableView(self, dropSessionDidEnter: session)
    }

    /// - Parameter indexPath: an unchecked path from outside of the table.
    func update(_ session: any DropSession, at indexPath: IndexPath?) -> DropProposal {
        let destination = destinationPath(indexPath)
        let proposed = dropDelegate?.tableView(
            self,
            dropSessionDidUpdate: session,
            withDestinationIndexPath: destination
        )
        var proposal = enforced(proposed ?? TableDropProposal(operation: .cancel), at: destination)
        // The drop would do nothing, so no gap opens for it.
        if proposal.operation == .move, !session.allowsMoveOperation {
            proposal = TableDropProposal(operation: .cancel)
        }
        if drops[ObjectIdentifier(session)] != nil { drops[ObjectIdentifier(session)] = proposal }
        return DropProposal(operation: proposal.operation)
    }

    func exit(_ session: any DropSession) {
        drops[ObjectIdentifier(session)] = nil
        dropDelegate?.tableView(self, dropSessionDidExit: session)
    }

    func perform(_ session: any DropSession, at indexPath: IndexPath?, operation: DropOperation) {
        let intent = drops.removeValue(forKey: ObjectIdentifier(session))?.intent ?? .unspecified
        let destination = destinationPath(indexPath)
        // The rows of the proposal may have been deleted since it was made.
        let proposal = enforced(TableDropProposal(operation: operation, intent: intent), at: destination)
        guard let dropDelegate, numberOfSections > 0 else { return }
        if rearrange(session, to: destination, proposal) { return }
        let drop = RowDrop(session, at: destination, proposal: proposal, table: self)
        dropDelegate.tableView(self, performDropWith: drop)
    }

    func end(_ session: any DropSession) {
        drops[ObjectIdentifier(session)] = nil
        dropDelegate?.tableView(self, dropSessionDidEnd: session)
    }

    /// Shows a placeholder for an item until its bytes have arrived.
    ///
    /// - Parameters:
    ///   - others: the placeholders that it follows, or the rows that replaced them.
    ///   - drop: the other placeholders of the same drop.
    /// - Returns: false if there is no section to show it in.
    func show(
        _ row: PlaceholderRow,
        at path: IndexPath,
        after others: [PlaceholderRow],
        among drop: [PlaceholderRow]
    ) -> Bool {
        if let last = others.last, placeholders.insert(row, after: last) { return true }
        guard path.count == 2, numberOfSections > 0 else { return false }
        let section = min(max(0, path.section), numberOfSections - 1)
        let count = numberOfRows(inSection: section)
        let above = others.count { $0.isTaken || placeholders.path(of: $0) != nil }
        let number = min(path.row, count + drop.count) + above
        placeholders.insert(row, at: number, inSection: section, count: count, among: drop)
        return true
    }

    /// Converts an unchecked path into one that can be passed to a delegate.
    private func destinationPath(_ indexPath: IndexPath?) -> IndexPath? {
        guard let indexPath, indexPath.isPlace(in: counts) else { return nil }
        return indexPath
    }

    private func enforced(_ proposal: TableDropProposal, at destination: IndexPath?) -> TableDropProposal {
        let isAtRow = destination?.isRow(of: counts) ?? false
        let intent: TableDropProposal.Intent
        switch proposal.intent {
        case _ where destination == nil: intent = .unspecified
        case .unspecified, .insertAtDestinationIndexPath: intent = proposal.intent
        case .insertIntoDestinationIndexPath: intent = isAtRow ? .insertIntoDestinationIndexPath : .unspecified
        case .automatic: intent = isAtRow ? .insertIntoDestinationIndexPath : .insertAtDestinationIndexPath
        }
        // Without a section nothing could be inserted.
        let operation = numberOfSections == 0 ? .cancel : proposal.operation
        return TableDropProposal(operation: operation, intent: intent)
    }

    /// Moves a single row within this table through the data source, if the drop is such a move.
    ///
    /// - Returns: whether the drop was handled.
    private func rearrange(
        _ session: any DropSession,
        to destination: IndexPath?,
        _ proposal: TableDropProposal
    ) -> Bool {
        guard
            proposal == TableDropProposal(operation: .move, intent: .insertAtDestinationIndexPath),
            let item = session.items.first, session.items.count == 1,
            let local = session.localDragSession, let source = sourceIndexPath(of: item), var target = destination,
            let dataSource, dataSource.tableView(self, canMoveRowAt: source),
            // The data source may have changed rows while it was asked.
            sourceIndexPath(of: item) == source
        else { return false }
        if target.section == source.section {
            // Without the row itself the section has one row fewer.
            target = IndexPath(
                row: min(target.row, numberOfRows(inSection: source.section) - 1),
                section: source.section
            )
        }
        drags.first { $0.drag?.session === local }?.drag?.isRearranged = true
        item.taken()
        guard target != source else { return true }
        performBatchUpdates { [self] in
            dataSource.tableView(self, moveRowAt: source, to: target)
            // The data source may have reported the move to the table itself.
            guard let told = batch?.updates, !told.removes(source) else { return }
            if told == RowUpdates(), sourceIndexPath(of: item) == source {
                moveRow(at: source, to: target)
            } else {
                // The data source has reported other rows, and only it knows the new index of this one.
                reloadData()
            }
        }
        return true
    }
}
