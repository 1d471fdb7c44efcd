public import FoundationEssentials
import TableDragAndDrop

/// What drops do to the names. The table is told of the rows that this returns, in one call.
public struct PlaceChanges: Sendable {
    /// The names as they are now.
    public private(set) var places: PlaceNames

    /// Begins with these names.
    public init(_ places: PlaceNames) {
        self.places = places
    }

    /// Inserts names one behind the other, the first at a row; where that is not there any more, behind the last one.
    ///
    /// - Returns: the rows that they have got, in their order.
    public mutating func insert(_ names: [String], at path: IndexPath) -> [IndexPath] {
        names.enumerated().map { offset, name in
            IndexPath(row: places.insert(name, at: path.row + offset), section: path.section)
        }
    }

    /// Moves a row within the table.
    ///
    /// - Parameter destination: its row afterwards.
    /// - Returns: the name that was moved; nil if there is no such row.
    public mutating func move(from source: Int, to destination: Int) -> String? {
        guard let name = places.remove(at: source) else { return nil }
        _ = places.insert(name, at: destination)
        return name
    }

    /// Removes a row.
    ///
    /// - Returns: its name; nil if there is no such row.
    public mutating func remove(at row: Int) -> String? {
        places.remove(at: row)
    }
}
