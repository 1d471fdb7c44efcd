public import FoundationEssentials
import TableDragAndDrop

/// The contents of the table of `places`: one name in each row, in one section. The caller reports changed rows to the
/// table.
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

    /// Inserts names one after the other, the first at a row. If the row no longer exists, they are inserted at the
    /// end, so that no name is lost.
    ///
    /// - Returns: the paths of the new rows, in order.
    public mutating func insert(_ names: [String], at path: IndexPath) -> [IndexPath] {
        let row = min(max(path.row, 0), self.names.count)
        self.names.insert(contentsOf: names, at: row)
        return names.indices.map { IndexPath(row: row + $0, section: path.section) }
    }

    /// Moves a row within the table.
    ///
    /// - Parameter destination: the index of the row after the move.
    /// - Returns: the name that was moved; nil if the row does not exist.
    public mutating func move(from source: Int, to destination: Int) -> String? {
        guard let name = remove(at: source) else { return nil }
        names.insert(name, at: min(destination, names.count))
        return name
    }

    /// Removes a row.
    ///
    /// - Returns: its name; nil if the row does not exist.
    public mutating func remove(at row: Int) -> String? {
        names.indices.contains(row) ? names.remove(at: row) : nil
    }
}
