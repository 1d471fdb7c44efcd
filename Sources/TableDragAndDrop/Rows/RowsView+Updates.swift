public import FoundationEssentials
import PasteboardKit

extension RowsView {
    /// Changes of rows that are checked together.
    struct Batch {
        var updates = RowUpdates()
        /// Whether the table was reloaded during the batch, so that there is nothing to compare with.
        var isReloaded = false
        /// The number of batches that were begun in each other.
        var depth = 0
        var completions: [(Bool) -> Void] = []
    }

    /// The number of sections, according to the changes reported so far.
    public var numberOfSections: Int { counts.count }

    /// The number of rows of the data source in a section, according to the changes reported so far; 0 if the section
    /// does not exist.
    public func numberOfRows(inSection section: Int) -> Int {
        let counts = counts
        return counts.indices.contains(section) ? counts[section] : 0
    }

    /// Reports inserted rows to the table.
    ///
    /// - Parameters:
    ///   - indexPaths: the paths of the rows after the insertion.
    ///   - animation: makes no difference.
    /// - Precondition: outside of a batch, the data source has its previous rows and these, and no others.
    public func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.insert(path.checked) } }
    }

    /// Reports deleted rows to the table.
    ///
    /// - Parameters:
    ///   - indexPaths: the paths of the rows before the deletion.
    ///   - animation: makes no difference.
    /// - Precondition: outside of a batch, the data source has its previous rows without these.
    public func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.delete(path.checked) } }
    }

    /// Reports rows whose contents were replaced. They are deselected.
    public func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) {
        update { for path in indexPaths { $0.reload(path.checked) } }
    }

    /// Reports a moved row to the table.
    ///
    /// - Parameters:
    ///   - indexPath: the path before the move.
    ///   - newIndexPath: the path after the move.
    public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        update { $0.move(indexPath.checked, to: newIndexPath.checked) }
    }

    /// Reports inserted sections with all of their rows, by their indexes after the insertion.
    public func insertSections(_ sections: IndexSet, with animation: RowAnimation = .automatic) {
        update { for section in sections { $0.sections.insert(section) } }
    }

    /// Reports deleted sections with all of their rows, by their indexes before the deletion.
    public func deleteSections(_ sections: IndexSet, with animation: RowAnimation = .automatic) {
        update { for section in sections { $0.sections.delete(section) } }
    }

    /// Reports sections whose rows were all replaced, by their indexes before the changes. The rows are deselected, and
    /// there may be more or fewer.
    public func reloadSections(_ sections: IndexSet, with animation: RowAnimation = .automatic) {
        update { for section in sections { $0.sections.reload(section) } }
    }

    /// Reports a moved section with all of its rows.
    public func moveSection(_ section: Int, toSection newSection: Int) {
        update { $0.sections.move(section, to: newSection) }
    }

    /// Begins a batch of changes, which the matching ``endUpdates()`` ends. It is checked as one of
    /// `performBatchUpdates(_:completion:)`.
    public func beginUpdates() {
        // Counts that are unknown cannot be contradicted.
        if batch == nil { batch = Batch(isReloaded: rowCounts == nil) }
        batch?.depth += 1
    }

    /// Ends a batch of changes. The changes are checked when the outermost batch ends.
    public func endUpdates() {
        batch?.depth -= 1
        if batch?.depth == 0 { endBatch() }
    }

    /// Combines several changes of rows. Deleted rows have their paths from before all changes, inserted rows their
    /// paths from after them.
    ///
    /// - Parameters:
    ///   - updates: changes the data source and reports the changes to the table.
    ///   - completion: runs after the changes were checked, with the argument true. There is no animation to wait for.
    /// - Precondition: each section of the data source has its previous rows, plus the inserted ones, without the
    ///   deleted ones. The message of the trap contains the counts.
    public func performBatchUpdates(_ updates: () -> Void, completion: ((Bool) -> Void)? = nil) {
        beginUpdates()
        updates()
        if let completion { batch?.completions.append(completion) }
        endUpdates()
    }

    /// Combines several changes of rows, or none. A closure that is optional escapes for the compiler, which then
    /// demands `self` in it; UIKit's does not.
    public func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        performBatchUpdates({ updates?() }, completion: completion)
    }

    /// The number of rows in each section, as known to the table.
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
        let sections = askDataSource({ $0.numberOfSections(in: $1) }, { $0.numberOfSections(in: $1) }) ?? 0
        return (0..<max(0, sections)).map { section in
            let rows = askDataSource(
                { $0.tableView($1, numberOfRowsInSection: section) },
                { $0.collectionView($1, numberOfItemsInSection: section) }
            )
            return max(0, rows ?? 0)
        }
    }

    private func update(_ change: (inout RowUpdates) -> Void) {
        if var open = batch {
            change(&open.updates)
            batch = open
            return
        }
        // The counts are unknown, so the change cannot contradict them.
        guard let before = rowCounts else { return forgetRows() }
        var updates = RowUpdates()
        change(&updates)
        apply(updates, before: before)
    }

    private func endBatch() {
        guard let ended = batch else { return }
        batch = nil
        if ended.isReloaded {
            // The data source may also have changed since.
            forgetRows()
        } else if let before = rowCounts {
            apply(ended.updates, before: before)
        }
        for completion in ended.completions { completion(true) }
    }

    private func apply(_ updates: RowUpdates, before: [Int]) {
        // A table whose data source was deallocated has no rows, so there is nothing to check.
        guard hasDataSource else { return forgetRows() }
        let after = currentCounts()
        if let contradiction = updates.contradiction(before: before, after: after) { endProgram(contradiction) }
        guard updates != RowUpdates() else { return }
        rowCounts = after
        draggedRows.forget()
        selection = Set(selection.subtracting(updates.reloaded).compactMap(updates.path(after:)))
        for placeholder in placeholders.follow(updates, counts: after) { placeholder.resolve(isTaken: false) }
    }
}

extension IndexPath {
    /// - Precondition: the path names a row.
    fileprivate var checked: IndexPath {
        guard count == 2 else {
            endProgram("The index path \(shown) does not name a row: create it with IndexPath(row:section:).")
        }
        return self
    }
}
