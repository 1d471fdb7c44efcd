/// The places that a program shows, in the order in which they arrived.
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

    /// The places that the source offers.
    public static let nationalParks = PlaceList([
        Place(name: "Yosemite", state: "California"),
        Place(name: "Yellowstone", state: "Wyoming"),
        Place(name: "Theodore Roosevelt", state: "North Dakota"),
        Place(name: "Sequoia", state: "California"),
        Place(name: "Pinnacles", state: "California"),
        Place(name: "Mount Rainier", state: "Washington"),
        Place(name: "Mammoth Cave", state: "Kentucky"),
        Place(name: "Great Basin", state: "Nevada"),
        Place(name: "Grand Canyon", state: "Arizona"),
    ])
}
