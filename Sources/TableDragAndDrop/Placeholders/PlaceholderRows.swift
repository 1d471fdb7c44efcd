import FoundationEssentials

/// Where placeholders stand among the rows of the data source, which does not know of them. The data source's rows keep
/// their numbers: a placeholder stands in the gap before one of them, and of several in one gap the earlier is above.
struct PlaceholderRows {
    private struct Place {
        let row: PlaceholderRow
        let section: Int
        var gap: Int
    }

    /// In the order in which they are shown.
    private var places: [Place] = []

    var isEmpty: Bool { places.isEmpty }

    /// Where the data source would insert a row to have it in the place of this one; nil: it has gone.
    func path(of row: PlaceholderRow) -> IndexPath? {
        places.first { $0.row === row }.map { IndexPath(row: $0.gap, section: $0.section) }
    }

    /// The rows of a section as they are shown.
    func shown(inSection section: Int, count: Int) -> [Shown] {
        var shown: [Shown] = []
        shown.reserveCapacity(count)
        var next = 0
        for place in places where place.section == section {
            let gap = min(place.gap, count)
            shown.append(contentsOf: (next..<max(next, gap)).map { .row(IndexPath(row: $0, section: section)) })
            next = max(next, gap)
            shown.append(.placeholder(place.row))
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
    ///   - number: the place among the section's rows and the placeholders of the same drop, or behind the last. Others, which
    ///     the drop does not know of, are not counted, and stay above.
    ///   - drop: the placeholders of the same drop.
    mutating func insert(
        _ row: PlaceholderRow,
        at number: Int,
        inSection section: Int,
        count: Int,
        among drop: [PlaceholderRow]
    ) {
        let own = places.indices.filter { index in
            places[index].section == section && drop.contains { $0 === places[index].row }
        }
        let above = own.enumerated().prefix { places[$0.element].gap + $0.offset < number }.count
        let gap = min(max(0, number - above), count)
        let end = places.firstIndex { ($0.section, $0.gap) > (section, gap) } ?? places.endIndex
        let next = own.dropFirst(above).first ?? end
        places.insert(Place(row: row, section: section, gap: gap), at: min(next, end))
    }

    /// Inserts a placeholder behind another; false: that has gone.
    mutating func insert(_ row: PlaceholderRow, behind other: PlaceholderRow) -> Bool {
        guard let index = places.firstIndex(where: { $0.row === other }) else { return false }
        places.insert(Place(row: row, section: places[index].section, gap: places[index].gap), at: index + 1)
        return true
    }

    /// Takes a placeholder away; false: it has gone already.
    mutating func remove(_ row: PlaceholderRow) -> Bool {
        guard let index = places.firstIndex(where: { $0.row === row }) else { return false }
        places.remove(at: index)
        return true
    }

    /// Takes a placeholder away, for a row of the data source is in its place.
    mutating func replaceByRow(_ row: PlaceholderRow) {
        guard let index = places.firstIndex(where: { $0.row === row }) else { return }
        let section = places.remove(at: index).section
        for below in places[index...].indices where places[below].section == section {
            places[below].gap += 1
        }
    }

    mutating func removeAll() -> [PlaceholderRow] {
        defer { places = [] }
        return places.map(\.row)
    }

    /// Keeps the placeholders where they are while rows come and go.
    mutating func follow(_ updates: RowUpdates) {
        for index in places.indices {
            places[index].gap = updates.gap(after: places[index].gap, inSection: places[index].section)
        }
    }
}
