/// The contents of the table of `places`: one name in each row, in one section.
public struct PlaceNames: Sendable, Equatable {
    /// The names in the order of the rows.
    public private(set) var names: [String]

    /// Makes a list.
    public init(_ names: [String] = PlaceNames.parks) {
        self.names = names
    }

    /// The names when the program begins.
    public static let parks = [
        "Yosemite", "Yellowstone", "Theodore Roosevelt", "Sequoia", "Pinnacles", "Mount Rainier", "Mammoth Cave",
        "Great Basin", "Grand Canyon",
    ]

    /// Whether a row exists.
    public func has(row: Int) -> Bool { names.indices.contains(row) }

    /// Inserts a name before a row, or at the end if the row no longer exists, so that no name is lost.
    ///
    /// - Returns: the index of its row.
    public mutating func insert(_ name: String, at row: Int) -> Int {
        let row = min(max(row, 0), names.count)
        names.insert(name, at: row)
        return row
    }

    /// Removes a row.
    ///
    /// - Returns: its name; nil if the row does not exist.
    public mutating func remove(at row: Int) -> String? {
        has(row: row) ? names.remove(at: row) : nil
    }
}
