/// What drops do to a shelf.
public struct ParcelChanges: Sendable {
    /// The shelf as it is now.
    public private(set) var shelf: ParcelShelf

    /// Begins with this shelf.
    public init(_ shelf: ParcelShelf = ParcelShelf()) {
        self.shelf = shelf
    }

    /// Puts a parcel before a row.
    ///
    /// - Returns: the row that it has got.
    public mutating func insert(_ parcel: Parcel, at row: Int) -> Int {
        shelf.insert(parcel, at: row)
    }

    /// Moves rows before another one, one behind the other in the given order. Rows that are not there are left out.
    ///
    /// - Parameter destination: a row as it was before, or the place behind the last one.
    /// - Returns: of each its row before and afterwards.
    public mutating func move(_ rows: [Int], before destination: Int) -> [(Int, Int)] {
        let rows = rows.filter(shelf.parcels.indices.contains)
        let parcels = rows.map { shelf.parcels[$0] }
        for row in rows.sorted(by: >) { _ = shelf.remove(at: row) }
        let first = destination - rows.count { $0 < destination }
        return zip(rows, parcels).enumerated().map { offset, moved in
            (moved.0, shelf.insert(moved.1, at: first + offset))
        }
    }

    /// Removes a row.
    ///
    /// - Returns: its parcel; nil if there is no such row.
    public mutating func remove(at row: Int) -> Parcel? {
        shelf.remove(at: row)
    }
}
