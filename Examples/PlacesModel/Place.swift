/// A place to visit.
public struct Place: Sendable, Hashable, Codable {
    /// The name.
    public let name: String
    /// The state in which the place is; nil if only the name is known.
    public let state: String?

    /// Makes a place.
    public init(name: String, state: String? = nil) {
        self.name = name
        self.state = state
    }

    /// The places that the source offers.
    public static let nationalParks = [
        Place(name: "Yosemite", state: "California"),
        Place(name: "Yellowstone", state: "Wyoming"),
        Place(name: "Theodore Roosevelt", state: "North Dakota"),
        Place(name: "Sequoia", state: "California"),
        Place(name: "Pinnacles", state: "California"),
        Place(name: "Mount Rainier", state: "Washington"),
        Place(name: "Mammoth Cave", state: "Kentucky"),
        Place(name: "Great Basin", state: "Nevada"),
        Place(name: "Grand Canyon", state: "Arizona"),
    ]
}

extension Place: CustomStringConvertible {
    /// The name, and the state if it is known.
    public var description: String {
        state.map { "\(name), \($0)" } ?? name
    }
}
