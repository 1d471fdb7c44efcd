/// What the table of `places` shows: names, one a row, in one section.
public struct PlaceNames: Sendable, Equatable {
    /// The names, from the first row on.
    public private(set) var names: [String]

    /// Makes a list.
    public init(_ names: [String] = PlaceNames.parks) {
        self.names = names
    }

    /// What the program begins with.
    public static let parks = [
        "Yosemite", "Yellowstone", "Theodore Roosevelt", "Sequoia", "Pinnacles", "Mount Rainier", "Mammoth Cave",
        "Great Basin", "Grand Canyon",
    ]

    /// Whether there is such a row.
    public func has(row: Int) -> Bool { names.indices.contains(row) }

    /// Inserts a name before a row, or behind the last one: rows that have gone meanwhile are no reason to lose it.
    ///
    /// - Returns: the row that it has got.
    public mutating func insert(_ name: String, at row: Int) -> Int {
        let row = min(max(row, 0), names.count)
        names.insert(name, at: row)
        return row
    }

    /// Removes a row.
    ///
    /// - Returns: its name; nil if there is no such row.
    public mutating func remove(at row: Int) -> String? {
        has(row: row) ? names.remove(at: row) : nil
    }
}
