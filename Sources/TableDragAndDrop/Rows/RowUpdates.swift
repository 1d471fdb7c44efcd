import FoundationEssentials

/// What becomes of a table's rows in one batch. Rows that go are named by where they were before it, rows that come by where
/// they are after it: so the order of the calls does not matter.
struct RowUpdates: Equatable {
    private(set) var inserted: Set<IndexPath> = []
    private(set) var deleted: Set<IndexPath> = []
    private(set) var reloaded: Set<IndexPath> = []
    /// Where a moved row was, and where it is.
    private(set) var moved: [IndexPath: IndexPath] = [:]

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

    /// Whether a row goes from where it was.
    func takes(_ path: IndexPath) -> Bool {
        deleted.contains(path) || moved[path] != nil
    }

    /// A row came at once, apart from this update, which goes on as if it had been there before: what is behind it is one
    /// farther down.
    ///
    /// - Parameters:
    ///   - origin: where it would have been before the update.
    ///   - place: where it is after what was told until now.
    mutating func rowCame(at origin: IndexPath, now place: IndexPath) {
        deleted = Set(deleted.map { $0.pushed(by: origin) })
        reloaded = Set(reloaded.map { $0.pushed(by: origin) })
        inserted = Set(inserted.map { $0.pushed(by: place) })
        moved = Dictionary(uniqueKeysWithValues: moved.map { ($0.key.pushed(by: origin), $0.value.pushed(by: place)) })
    }

    /// Why the numbers of rows before and after cannot be those of this update; nil: they can.
    func contradiction(before: [Int], after: [Int]) -> String? {
        guard before.count == after.count else {
            return """
                The table had \(before.count) sections before the update and has \(after.count) after it. Rows alone were \
                inserted, deleted or moved: call reloadData() where sections come and go.
                """
        }
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
        for section in before.indices {
            let here = { (path: IndexPath) in path.section == section }
            let new = inserted.count(where: here)
            let gone = deleted.count(where: here)
            let movedIn = moved.values.count(where: here)
            let movedOut = moved.keys.count(where: here)
            let expected = before[section] + new - gone + movedIn - movedOut
            guard after[section] == expected else {
                return """
                    Section \(section) has \(after[section]) rows after the update, and should have \(expected): \
                    \(before[section]) before it, \(new) inserted, \(gone) deleted, \(movedIn) moved in, \(movedOut) moved \
                    out. Change the data source before the table is told, and by the same rows.
                    """
            }
        }
        return nil
    }

    /// Where a row is after the update; nil: deleted.
    func path(after path: IndexPath) -> IndexPath? {
        if let destination = moved[path] { return destination }
        guard !deleted.contains(path) else { return nil }
        var row = path.row - (leaving(path.section).count { $0 < path.row })
        // In ascending order each arrival that is not behind the row pushes it on.
        for arrival in arriving(path.section) where arrival <= row { row += 1 }
        return IndexPath(row: row, section: path.section)
    }

    /// Where a place between rows is after the update: behind the row that it was behind, or the next one above that has
    /// neither gone nor been moved. A row that is moved down to it comes to the upper side, behind the row that made way.
    func gap(after gap: Int, inSection section: Int) -> Int {
        let gone = Set(leaving(section))
        var above = gap - 1
        while above >= 0, gone.contains(above) { above -= 1 }
        let path = above >= 0 ? path(after: IndexPath(row: above, section: section)) : nil
        var place = IndexPath(row: path.map { $0.row + 1 } ?? 0, section: section)
        let isFromAbove = { (row: IndexPath) in row.section == section && row.row < gap }
        while moved.contains(where: { $0.value == place && isFromAbove($0.key) }) { place.row += 1 }
        return place.row
    }

    private func leaving(_ section: Int) -> [Int] {
        deleted.union(moved.keys).filter { $0.section == section }.map(\.row)
    }

    private func arriving(_ section: Int) -> [Int] {
        inserted.union(moved.values).filter { $0.section == section }.map(\.row).sorted()
    }
}

/// Ends the program, whose data source is not what it has told the table: a mistake in it, which nothing that another process
/// sends can bring about, and after which every row might be another one. Apple's tables throw then. A failed precondition
/// would end a release build without saying why.
func endProgram(_ contradiction: String) -> Never {
    fatalError(contradiction)
}

extension IndexPath {
    /// Where it is once a row has come at a place.
    fileprivate func pushed(by path: IndexPath) -> IndexPath {
        section == path.section && row >= path.row ? IndexPath(row: row + 1, section: section) : self
    }

    /// For messages: the numbers as they are, however many there are.
    var shown: String { map(String.init).joined(separator: "-") }

    /// Whether it names a row that there is.
    func isRow(of counts: [Int]) -> Bool {
        count == 2 && counts.indices.contains(section) && (0..<counts[section]).contains(row)
    }

    /// Whether a row can be inserted at it: also behind the last one.
    func isPlace(in counts: [Int]) -> Bool {
        count == 2 && counts.indices.contains(section) && (0...counts[section]).contains(row)
    }
}
