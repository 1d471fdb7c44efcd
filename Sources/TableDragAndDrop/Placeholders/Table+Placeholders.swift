import FoundationEssentials

extension Table {
    /// The block of a placeholder that becomes a row.
    ///
    /// - Returns: false, without calling the block, if the placeholder has gone.
    func commit(_ row: PlaceholderRow, _ dataSourceUpdates: (IndexPath) -> Void) -> Bool {
        // There is no row where there is no data source.
        guard dataSource != nil else {
            forgetRows()
            return false
        }
        guard let current = current(placeholders.path(of: row)) else { return false }
        // So that there is something to compare with.
        _ = counts
        dataSourceUpdates(current)
        // The block may have changed other rows before, and told the table.
        guard dataSource != nil, let place = placeholders.path(of: row), let now = self.current(place),
            let before = rowCounts
        else {
            // Or it has reloaded everything, and it may have done so before there was the row.
            forgetRows()
            return true
        }

        var updates = RowUpdates()
        updates.insert(place)
        if batch == nil {
            let after = currentCounts()
            if let contradiction = updates.contradiction(before: before, after: after) { endProgram(contradiction) }
            rowCounts = after
        } else {
            rowCounts?[place.section] += 1
            batch?.updates.rowCame(at: place, now: now)
        }
        draggedRows.forget()
        selection = Set(selection.compactMap(updates.path(after:)))
        placeholders.replaceByRow(row)
        return true
    }

    /// Within a batch the model has changed already.
    private func current(_ place: IndexPath?) -> IndexPath? {
        guard let place, let batch else { return place }
        return IndexPath(row: batch.updates.gap(after: place.row, inSection: place.section), section: place.section)
    }

    /// - Returns: false if the placeholder has gone.
    func remove(_ row: PlaceholderRow) -> Bool {
        placeholders.remove(row)
    }
}
