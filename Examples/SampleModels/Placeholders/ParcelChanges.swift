/// Changes of a shelf by drops.
public struct ParcelChanges: Sendable {
    /// The current shelf.
    public private(set) var shelf: ParcelShelf

    /// Begins with this shelf.
    public init(_ shelf: ParcelShelf = ParcelShelf()) {
        self.shelf = shelf
    }

    /// Inserts a parcel before a row.
    ///
    /// - Returns: the index of its row.
    public mutating func insert(_ parcel: Parcel, at row: Int) -> Int {
        shelf.insert(parcel, at: row)
    }

    /// Moves rows before another row, in the given order. Rows that do not exist are skipped.
    ///
    /// - Parameter destination: a row before the move, or the number of rows for the end.
    /// - Returns: for each moved row, its index before and after the move.
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
    /// - Returns: its parcel; nil if the row does not exist.
    public mutating func remove(at row: Int) -> Parcel? {
        shelf.remove(at: row)
    }
}
