/// The parcels of a table, one a row.
public struct ParcelShelf: Sendable, Equatable {
    /// The parcels, from the first row on.
    public private(set) var parcels: [Parcel]

    /// Makes a shelf.
    public init(_ parcels: [Parcel] = []) {
        self.parcels = parcels
    }

    /// What is on its way to somebody when the program begins.
    public static let van = ParcelShelf([
        Parcel(.plain, "letter"), Parcel(.slow, "crate"), Parcel(.failing, "vase"), Parcel(.plain, "book"),
    ])

    /// Inserts a parcel before a row, or behind the last one.
    ///
    /// - Returns: the row that it has got.
    public mutating func insert(_ parcel: Parcel, at row: Int) -> Int {
        let row = min(max(row, 0), parcels.count)
        parcels.insert(parcel, at: row)
        return row
    }

    /// Removes a row.
    ///
    /// - Returns: its parcel; nil if there is no such row.
    public mutating func remove(at row: Int) -> Parcel? {
        parcels.indices.contains(row) ? parcels.remove(at: row) : nil
    }
}
