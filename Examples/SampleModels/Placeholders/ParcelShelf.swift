/// The parcels of a table, one in each row.
public struct ParcelShelf: Sendable, Equatable {
    /// The parcels in the order of the rows.
    public private(set) var parcels: [Parcel]

    /// Makes a shelf.
    public init(_ parcels: [Parcel] = []) {
        self.parcels = parcels
    }

    /// The contents of the van when the program begins.
    public static let van = ParcelShelf([
        Parcel(.plain, "letter"), Parcel(.slow, "crate"), Parcel(.failing, "vase"), Parcel(.plain, "book"),
    ])

    /// Inserts a parcel before a row, or at the end.
    ///
    /// - Returns: the index of its row.
    public mutating func insert(_ parcel: Parcel, at row: Int) -> Int {
        let row = min(max(row, 0), parcels.count)
        parcels.insert(parcel, at: row)
        return row
    }

    /// Moves rows before another row, in the given order. Rows that do not exist are skipped.
    ///
    /// - Parameter destination: a row before the move, or the number of rows for the end.
    /// - Returns: for each moved row, its index before and after the move.
    public mutating func move(_ rows: [Int], before destination: Int) -> [(Int, Int)] {
        let rows = rows.filter(parcels.indices.contains)
        let moved = rows.map { parcels[$0] }
        for row in rows.sorted(by: >) { parcels.remove(at: row) }
        let first = destination - rows.count { $0 < destination }
        return zip(rows, moved).enumerated().map { offset, moved in
            (moved.0, insert(moved.1, at: first + offset))
        }
    }

    /// Removes a row.
    ///
    /// - Returns: its parcel; nil if the row does not exist.
    public mutating func remove(at row: Int) -> Parcel? {
        parcels.indices.contains(row) ? parcels.remove(at: row) : nil
    }
}
