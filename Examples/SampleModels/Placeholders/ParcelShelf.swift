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

    /// Removes a row.
    ///
    /// - Returns: its parcel; nil if the row does not exist.
    public mutating func remove(at row: Int) -> Parcel? {
        parcels.indices.contains(row) ? parcels.remove(at: row) : nil
    }
}
