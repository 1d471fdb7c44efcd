import FoundationEssentials

/// The changes of rows in one batch. Deleted rows have their paths from before the batch, inserted rows their
/// paths from after it, so the order of the calls does not matter.
struct RowUpdates: Equatable {
    private(set) var inserted: Set<IndexPath> = []
    private(set) var deleted: Set<IndexPath> = []
    private(set) var reloaded: Set<IndexPath> = []
    /// The new path of each moved row, by its old path.
    private(set) var moved: [IndexPath: IndexPath] = [:]
    /// The changes of whole sections. Rows of a section that is deleted or reloaded are gone, unless they are moved.
    var sections = SectionUpdates()

    mutating func insert(_ path: IndexPath) {
        if !inserted.insert(path).inserted { endProgram("Row \(path.shown) is inserted twice in one update.") }
    }

    mutating func delete(_ path: IndexPath) {
        if !deleted.insert(path).inserted { endProgram("Row \(path.shown) is deleted twice in one update.") }
    }

    mutating func reload(_ path: IndexPath) {
        reloaded.insert(path)
    }

    mutating func move(_ path: IndexPath, to destination: IndexPath) {
        if moved.updateValue(destination, forKey: path) != nil {
            endProgram("Row \(path.shown) is moved twice in one update.")
        }
    }

    /// Whether a row is deleted or moved away from its path.
    func removes(_ path: IndexPath) -> Bool {
        deleted.contains(path) || moved[path] != nil
    }

    /// Records a row that was inserted separately from this batch. The batch continues as if the row had been there
    /// before it, so later rows move down by one.
    ///
    /// - Parameters:
    ///   - origin: the path that the row would have had before the batch.
    ///   - path: the path of the row after the changes so far.
    mutating func rowCame(at origin: IndexPath, now path: IndexPath) {
        deleted = Set(deleted.map { $0.pushed(by: origin) })
        reloaded = Set(reloaded.map { $0.pushed(by: origin) })
        inserted = Set(inserted.map { $0.pushed(by: path) })
        moved = Dictionary(uniqueKeysWithValues: moved.map { ($0.key.pushed(by: origin), $0.value.pushed(by: path)) })
    }

    /// The reason why these changes cannot lead from the one set of row counts to the other; nil if they can.
    func contradiction(before: [Int], after: [Int]) -> String? {
        if let contradiction = sections.contradiction(before: before.count, after: after.count) { return contradiction }
        for path in deleted.union(reloaded).union(moved.keys) where !path.isRow(of: before) {
            return
                "Row \(path.shown) is deleted, reloaded or moved; there was no such row before the update (\(before))."
        }
        for path in deleted where moved[path] != nil {
            return "Row \(path.shown) is both moved and deleted in one update."
        }
        for path in inserted.union(moved.values) where !path.isRow(of: after) {
            return "Row \(path.shown) is inserted; there is no such row after the update (\(after))."
        }
        guard inserted.union(moved.values).count == inserted.count + moved.count else {
            return "Two rows are inserted at, or moved to, the same place in one update."
        }
        for section in before.indices where !sections.reloaded.contains(section) {
            guard let now = sections.index(after: section) else { continue }
            let new = inserted.count { $0.section == now }
            let gone = deleted.count { $0.section == section }
            let movedIn = moved.values.count { $0.section == now }
            let movedOut = moved.keys.count { $0.section == section }
            let expected = before[section] + new - gone + movedIn - movedOut
            guard after[now] == expected else {
                return """
                    Section \(now) has \(after[now]) rows after the update, and should have \(expected): \
                    \(before[section]) before it, \(new) inserted, \(gone) deleted, \(movedIn) moved in, \(movedOut) moved \
                    out. Change the same rows in the data source before you update the table.
                    """
            }
        }
        return nil
    }

    /// The path of a row after the batch; nil if it is deleted, or its section was deleted or reloaded.
    func path(after path: IndexPath) -> IndexPath? {
        if let destination = moved[path] { return destination }
        guard !deleted.contains(path), !sections.reloaded.contains(path.section),
            let section = sections.index(after: path.section)
        else { return nil }
        var row = path.row - (leaving(path.section).count { $0 < path.row })
        // In ascending order, each insertion at or before the row moves it down.
        for arrival in arriving(section) where arrival <= row { row += 1 }
        return IndexPath(row: row, section: section)
    }

    /// The position of a gap after the batch; nil if its section is deleted. The gap stays after the row above it, or
    /// after the nearest row above that was neither deleted nor moved. A row that moves down to the gap ends up above
    /// it, after the row that made way. In a section that is reloaded, the gap keeps its number.
    func gap(after gap: IndexPath) -> IndexPath? {
        guard let section = sections.index(after: gap.section) else { return nil }
        if sections.reloaded.contains(gap.section) { return IndexPath(row: gap.row, section: section) }
        let gone = Set(leaving(gap.section))
        var above = gap.row - 1
        while above >= 0, gone.contains(above) { above -= 1 }
        let path = above >= 0 ? path(after: IndexPath(row: above, section: gap.section)) : nil
        var result = IndexPath(row: path.map { $0.row + 1 } ?? 0, section: section)
        let isFromAbove = { (row: IndexPath) in row.section == gap.section && row.row < gap.row }
        while moved.contains(where: { $0.value == result && isFromAbove($0.key) }) { result.row += 1 }
        return result
    }

    private func leaving(_ section: Int) -> [Int] {
        deleted.union(moved.keys).filter { $0.section == section }.map(\.row)
    }

    private func arriving(_ section: Int) -> [Int] {
        inserted.union(moved.values).filter { $0.section == section }.map(\.row).sorted()
    }
}

/// Ends the program because its data source contradicts the changes reported to the table. This is a mistake in the
/// program that no other process can cause, and after it any path might name the wrong row. Apple's tables throw in
/// this case. A failed precondition would end a release build without a message.
func endProgram(_ contradiction: String) -> Never {
    fatalError(contradiction)
}

extension IndexPath {
    /// The path after a row was inserted at `path`.
    fileprivate func pushed(by path: IndexPath) -> IndexPath {
        section == path.section && row >= path.row ? IndexPath(row: row + 1, section: section) : self
    }

    /// The counts in a form for messages.
    var shown: String { map(String.init).joined(separator: "-") }

    /// Whether the path names an existing row.
    func isRow(of counts: [Int]) -> Bool {
        count == 2 && counts.indices.contains(section) && (0..<counts[section]).contains(row)
    }

    /// Whether a row can be inserted at the path, which may be after the last row.
    func isPlace(in counts: [Int]) -> Bool {
        count == 2 && counts.indices.contains(section) && (0...counts[section]).contains(row)
    }
}
