/// The places that a program shows, in the order they came.
public struct PlaceList: Sendable {
    /// The places.
    public private(set) var places: [Place]

    /// Makes a list.
    public init(_ places: [Place] = []) {
        self.places = places
    }

    /// Adds a place at the end.
    public mutating func append(_ place: Place) {
        places.append(place)
    }

    /// What the source offers.
    public static let nationalParks = PlaceList(
        [
            "Yosemite", "Yellowstone", "Theodore Roosevelt", "Sequoia", "Pinnacles", "Mount Rainier", "Mammoth Cave",
            "Great Basin", "Grand Canyon",
        ].map(Place.init(name:))
    )
}
