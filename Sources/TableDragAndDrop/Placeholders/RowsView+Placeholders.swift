import FoundationEssentials

extension RowsView {
    /// Runs the program's block for a placeholder that becomes a row.
    ///
    /// - Returns: false, without calling the block, if the placeholder was removed.
    func commit(_ row: PlaceholderRow, _ dataSourceUpdates: (IndexPath) -> Void) -> Bool {
        // Without a data source no row can replace the placeholder.
        guard hasDataSource else {
            forgetRows()
            return false
        }
        guard let current = current(placeholders.path(of: row)) else { return false }
        // Reads the counts before the block, to compare with those after it.
        let counts = counts
        dataSourceUpdates(current)
        // The block may have changed other rows first and have reported them to the table.
        guard hasDataSource, let path = placeholders.path(of: row), let now = self.current(path),
            let before = rowCounts
        else {
            // The block has reloaded the table, perhaps before it inserted the row.
            forgetRows()
            return true
        }

        // The block has reported the row itself, as a diffable data source does.
        if batch == nil, before.reduce(0, +) == counts.reduce(0, +) + 1, currentCounts() == before {
            return placeholders.remove(row)
        }
        var updates = RowUpdates()
        updates.insert(path)
        if batch == nil {
            let after = currentCounts()
            if let contradiction = updates.contradiction(before: before, after: after) { endProgram(contradiction) }
            rowCounts = after
        } else {
            rowCounts?[path.section] += 1
            batch?.updates.rowCame(at: path, now: now)
        }
        draggedRows.forget()
        selection = Set(selection.compactMap(updates.path(after:)))
        placeholders.replaceByRow(row)
        return true
    }

    /// The path after the changes of the current batch: the model has changed already.
    private func current(_ path: IndexPath?) -> IndexPath? {
        guard let path, let batch else { return path }
        guard var now = batch.updates.gap(after: path) else { return nil }
        if batch.updates.sections.reloaded.contains(path.section) {
            let counts = currentCounts()
            now.row = min(now.row, counts.indices.contains(now.section) ? counts[now.section] : 0)
        }
        return now
    }

    /// - Returns: false if the placeholder was removed before.
    func remove(_ row: PlaceholderRow) -> Bool {
        placeholders.remove(row)
    }
}
