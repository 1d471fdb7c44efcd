import FoundationEssentials
import PasteboardKit

extension RowsView {
    func canHandle(_ session: any DropSession) -> Bool {
        askDropDelegate(
            { $0.tableView($1, canHandle: session) },
            { $0.collectionView($1, canHandle: session) }
        ) ?? false
    }

    func enter(_ session: any DropSession) {
        drops[ObjectIdentifier(session)] = TableDropProposal(operation: .cancel)
        askDropDelegate(
            { $0.tableView($1, dropSessionDidEnter: session) },
            { $0.collectionView($1, dropSessionDidEnter: session) }
        )
    }

    /// - Parameter indexPath: an unchecked path from outside of the view.
    func update(_ session: any DropSession, at indexPath: IndexPath?) -> DropProposal {
        let destination = destinationPath(indexPath)
        let proposed = askDropDelegate(
            { $0.tableView($1, dropSessionDidUpdate: session, withDestinationIndexPath: destination) },
            { $0.collectionView($1, dropSessionDidUpdate: session, withDestinationIndexPath: destination) }
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
        askDropDelegate(
            { $0.tableView($1, dropSessionDidExit: session) },
            { $0.collectionView($1, dropSessionDidExit: session) }
        )
    }

    func perform(_ session: any DropSession, at indexPath: IndexPath?, operation: DropOperation) {
        let intent = drops.removeValue(forKey: ObjectIdentifier(session))?.intent ?? .unspecified
        let destination = destinationPath(indexPath)
        // The rows of the proposal may have been deleted since it was made.
        let proposal = enforced(TableDropProposal(operation: operation, intent: intent), at: destination)
        guard hasDropDelegate, numberOfSections > 0 else { return }
        if rearrange(session, to: destination, proposal) { return }
        let drop = RowDrop(session, at: destination, proposal: proposal, view: self)
        askDropDelegate(
            { $0.tableView($1, performDropWith: drop) },
            { $0.collectionView($1, performDropWith: drop) }
        )
    }

    func end(_ session: any DropSession) {
        drops[ObjectIdentifier(session)] = nil
        askDropDelegate(
            { $0.tableView($1, dropSessionDidEnd: session) },
            { $0.collectionView($1, dropSessionDidEnd: session) }
        )
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

    /// Moves a single row within this view through the data source, if the drop is such a move.
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
            let local = session.localDragSession, let source = sourceIndexPath(of: item), var target = destination
        else { return false }
        isUnanswered = false
        guard
            askDataSource({ $0.tableView($1, canMoveRowAt: source) }, { $0.collectionView($1, canMoveItemAt: source) })
                ?? false,
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
        target = proposedTarget(of: source, at: target)
        // Without an answer to the question above, it is not known whether the data source can move rows.
        if target != source || isUnanswered {
            isUnanswered = false
            move(item, from: source, to: target)
            if isUnanswered { return false }
        }
        drags.first { $0.drag?.session === local }?.drag?.isRearranged = true
        item.taken()
        return true
    }

    /// Returns the path to which the delegate directs a row that would be moved to another path.
    private func proposedTarget(of source: IndexPath, at target: IndexPath) -> IndexPath {
        var path = target
        if let table = self as? Table, let delegate = table.delegate {
            path = delegate.tableView(table, targetIndexPathForMoveFromRowAt: source, toProposedIndexPath: target)
        } else if let view = self as? UICollectionView, let delegate = view.delegate {
            path = delegate.collectionView(view, targetIndexPathForMoveFromItemAt: source, toProposedIndexPath: target)
        }
        let rows = counts.enumerated().map { $0.offset == source.section ? $0.element - 1 : $0.element }
        return path.isPlace(in: rows) ? path : target
    }

    private func move(_ item: DragItem, from source: IndexPath, to target: IndexPath) {
        performBatchUpdates { [self] in
            askDataSource(
                { $0.tableView($1, moveRowAt: source, to: target) },
                { $0.collectionView($1, moveItemAt: source, to: target) }
            )
            // The data source may have reported the move to the view itself.
            guard !isUnanswered, let told = batch?.updates, !told.removes(source), told.path(after: source) != target
            else { return }
            if told == RowUpdates(), sourceIndexPath(of: item) == source {
                moveRow(at: source, to: target)
            } else {
                // The data source has reported other rows, and only it knows the new index of this one.
                reloadData()
            }
        }
    }
}
