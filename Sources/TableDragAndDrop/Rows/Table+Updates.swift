public import FoundationEssentials
import PasteboardKit

extension Table {
    /// Changes of rows that are checked together.
    struct Batch {
        var updates = RowUpdates()
        /// Whether the table was reloaded meanwhile, so that there is nothing to compare with.
        var isReloaded = false
        var completions: [(Bool) -> Void] = []
    }

    /// How many sections there are, as far as the table has been told.
    public var numberOfSections: Int { counts.count }

    /// How many rows of the data source a section has, as far as the table has been told; 0 if there is no such section.
    public func numberOfRows(inSection section: Int) -> Int {
        let counts = counts
        return counts.indices.contains(section) ? counts[section] : 0
    }

    /// Tells the table that the data source has more rows.
    ///
    /// - Parameters:
    ///   - indexPaths: where they are, afterwards.
    ///   - animation: makes no difference.
    /// - Precondition: outside of a batch: the data source has these rows, and no others besides those it had.
    public func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.insert(path.checked) } }
    }

    /// Tells the table that rows of the data source have gone.
    ///
    /// - Parameters:
    ///   - indexPaths: where they were, before.
    ///   - animation: makes no difference.
    /// - Precondition: outside of a batch: the data source has the rows that it had, without these.
    public func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.delete(path.checked) } }
    }

    /// Tells the table that rows of the data source are others than they were. They are not selected any more.
    public func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.reload(path.checked) } }
    }

    /// Tells the table that a row of the data source is elsewhere.
    ///
    /// - Parameters:
    ///   - indexPath: where it was, before.
    ///   - newIndexPath: where it is, afterwards.
    public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        update { $0.move(indexPath.checked, to: newIndexPath.checked) }
    }

    /// Makes several changes of rows one: rows that go are named by where they were before all of them, rows that come by
    /// where they are after.
    ///
    /// - Parameters:
    ///   - updates: changes the data source, and tells the table.
    ///   - completion: runs once the changes were checked; gets true. There is no animation to wait for.
    /// - Precondition: in each section the data source has the rows that it had, and those inserted, without those deleted.
    ///   The message of the trap names the numbers.
    public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        let isOutermost = batch == nil
        if isOutermost {
            _ = counts
            batch = Batch()
        }
        updates?()
        if let completion { batch?.completions.append(completion) }
        if isOutermost { endBatch() }
    }

    /// Asks the data source anew. Placeholders and selection are gone then.
    public func reloadData() {
        forgetRows()
        _ = counts
    }

    /// The rows as the table knows them.
    var counts: [Int] {
        if let rowCounts { return rowCounts }
        let current = currentCounts()
        rowCounts = current
        return current
    }

    func forgetRows() {
        rowCounts = nil
        draggedRows.forget()
        selection = []
        batch?.isReloaded = true
        for placeholder in placeholders.removeAll() { placeholder.resolve(isTaken: false) }
    }

    func currentCounts() -> [Int] {
        guard let dataSource else { return [] }
        return (0..<max(0, dataSource.numberOfSections(in: self))).map {
            max(0, dataSource.tableView(self, numberOfRowsInSection: $0))
        }
    }

    private func update(_ change: (inout RowUpdates) -> Void) {
        if var open = batch {
            change(&open.updates)
            batch = open
            return
        }
        // There is nothing yet that the change could contradict.
        guard let before = rowCounts else { return forgetRows() }
        var updates = RowUpdates()
        change(&updates)
        apply(updates, before: before)
    }

    private func endBatch() {
        guard let ended = batch else { return }
        batch = nil
        if ended.isReloaded {
            // The data source may have changed since, too.
            forgetRows()
        } else if let before = rowCounts {
            apply(ended.updates, before: before)
        }
        for completion in ended.completions { completion(true) }
    }

    private func apply(_ updates: RowUpdates, before: [Int]) {
        // Without its data source a table has no rows, and nobody's numbers are wrong.
        guard dataSource != nil else { return forgetRows() }
        let after = currentCounts()
        if let contradiction = updates.contradiction(before: before, after: after) { endProgram(contradiction) }
        rowCounts = after
        draggedRows.forget()
        selection = Set(selection.subtracting(updates.reloaded).compactMap(updates.path(after:)))
        placeholders.follow(updates)
    }
}

extension IndexPath {
    /// - Precondition: it names a row.
    fileprivate var checked: IndexPath {
        guard count == 2 else {
            endProgram("The index path \(shown) does not name a row: IndexPath(row:section:) makes one that does.")
        }
        return self
    }
}
