import FoundationEssentials

/// The positions of placeholders among the rows of the data source, which does not know of them. The rows of the data
/// source keep their indexes. A placeholder is in the gap before a row; of several in one gap the earlier is above.
struct PlaceholderRows {
    private struct Entry {
        let row: PlaceholderRow
        var section: Int
        var gap: Int
    }

    /// The placeholders in the order in which they are shown.
    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The path at which the data source would insert a row to replace this placeholder; nil if the placeholder was
    /// removed.
    func path(of row: PlaceholderRow) -> IndexPath? {
        entries.first { $0.row === row }.map { IndexPath(row: $0.gap, section: $0.section) }
    }

    /// The rows of a section as they are shown.
    func shown(inSection section: Int, count: Int) -> [Shown] {
        var shown: [Shown] = []
        shown.reserveCapacity(count)
        var next = 0
        for entry in entries where entry.section == section {
            let gap = min(entry.gap, count)
            shown.append(contentsOf: (next..<max(next, gap)).map { .row(IndexPath(row: $0, section: section)) })
            next = max(next, gap)
            shown.append(.placeholder(entry.row))
        }
        shown.append(contentsOf: (next..<max(next, count)).map { .row(IndexPath(row: $0, section: section)) })
        return shown
    }

    enum Shown {
        case row(IndexPath)
        case placeholder(PlaceholderRow)
    }

    /// Inserts a placeholder.
    ///
    /// - Parameters:
    ///   - number: the index among the section's rows and the placeholders of the same drop; the count inserts at the
    ///     end. Placeholders of other drops are not counted and stay above.
    ///   - drop: the placeholders of the same drop.
    mutating func insert(
        _ row: PlaceholderRow,
        at number: Int,
        inSection section: Int,
        count: Int,
        among drop: [PlaceholderRow]
    ) {
        let own = entries.indices.filter { index in
            entries[index].section == section && drop.contains { $0 === entries[index].row }
        }
        let above = own.enumerated().prefix { entries[$0.element].gap + $0.offset < number }.count
        let gap = min(max(0, number - above), count)
        let end = entries.firstIndex { ($0.section, $0.gap) > (section, gap) } ?? entries.endIndex
        let next = own.dropFirst(above).first ?? end
        entries.insert(Entry(row: row, section: section, gap: gap), at: min(next, end))
    }

    /// Inserts a placeholder after another one; false if the other one was removed.
    mutating func insert(_ row: PlaceholderRow, after other: PlaceholderRow) -> Bool {
        guard let index = entries.firstIndex(where: { $0.row === other }) else { return false }
        entries.insert(Entry(row: row, section: entries[index].section, gap: entries[index].gap), at: index + 1)
        return true
    }

    /// Removes a placeholder; false if it was removed before.
    mutating func remove(_ row: PlaceholderRow) -> Bool {
        guard let index = entries.firstIndex(where: { $0.row === row }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Removes a placeholder that a row of the data source has replaced.
    mutating func replaceByRow(_ row: PlaceholderRow) {
        guard let index = entries.firstIndex(where: { $0.row === row }) else { return }
        let section = entries.remove(at: index).section
        for below in entries[index...].indices where entries[below].section == section {
            entries[below].gap += 1
        }
    }

    mutating func removeAll() -> [PlaceholderRow] {
        exchange(&entries, with: []).map(\.row)
    }

    /// Keeps each placeholder at its row while rows are inserted, deleted and moved.
    ///
    /// - Returns: the placeholders that were removed with their sections.
    mutating func follow(_ updates: RowUpdates, counts: [Int]) -> [PlaceholderRow] {
        let old = entries
        var sections: [Int: [Entry]] = [:]
        for entry in old {
            guard let path = updates.gap(after: IndexPath(row: entry.gap, section: entry.section)) else { continue }
            let gap = min(path.row, counts[path.section])
            sections[path.section, default: []].append(Entry(row: entry.row, section: path.section, gap: gap))
        }
        entries = sections.sorted { $0.key < $1.key }.flatMap(\.value)
        return old.map(\.row).filter { path(of: $0) == nil }
    }
}
