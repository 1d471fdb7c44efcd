import FoundationEssentials

extension Table {
    /// The block of a placeholder that becomes a row.
    ///
    /// - Returns: false, without calling the block, if the placeholder has gone.
    func commit(_ row: PlaceholderRow, _ dataSourceUpdates: (IndexPath) -> Void) -> Bool {
        let before = counts
        guard dataSource != nil, let place = placeholders.path(of: row) else { return false }
        // Within a batch the model may have changed already.
        let current = batch.map { batch in
            IndexPath(row: batch.updates.gap(after: place.row, inSection: place.section), section: place.section)
        }
        dataSourceUpdates(current ?? place)
        // The block may have reloaded everything.
        guard placeholders.path(of: row) != nil else { return true }

        var updates = RowUpdates()
        updates.insert(place)
        if batch == nil {
            let after = currentCounts()
            if let contradiction = updates.contradiction(before: before, after: after) {
                fatalError(contradiction)
            }
            rowCounts = after
        } else {
            rowCounts?[place.section] += 1
            batch?.updates.originCame(at: place)
        }
        draggedRows = []
        selection = Set(selection.compactMap(updates.path(after:)))
        placeholders.replaceByRow(row)
        return true
    }

    /// - Returns: false if the placeholder has gone.
    func remove(_ row: PlaceholderRow) -> Bool {
        placeholders.remove(row)
    }
}
