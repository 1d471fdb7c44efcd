public import FoundationEssentials
import TableDragAndDrop

/// Changes of the names by drops. The caller reports the returned rows to the table in one call.
public struct PlaceChanges: Sendable {
    /// The current names.
    public private(set) var places: PlaceNames

    /// Begins with these names.
    public init(_ places: PlaceNames) {
        self.places = places
    }

    /// Inserts names one after the other, the first at a row. If the row no longer exists, they are inserted at the
    /// end.
    ///
    /// - Returns: the paths of the new rows, in order.
    public mutating func insert(_ names: [String], at path: IndexPath) -> [IndexPath] {
        names.enumerated().map { offset, name in
            IndexPath(row: places.insert(name, at: path.row + offset), section: path.section)
        }
    }

    /// Moves a row within the table.
    ///
    /// - Parameter destination: the index of the row after the move.
    /// - Returns: the name that was moved; nil if the row does not exist.
    public mutating func move(from source: Int, to destination: Int) -> String? {
        guard let name = places.remove(at: source) else { return nil }
        _ = places.insert(name, at: destination)
        return name
    }

    /// Removes a row.
    ///
    /// - Returns: its name; nil if the row does not exist.
    public mutating func remove(at row: Int) -> String? {
        places.remove(at: row)
    }
}
