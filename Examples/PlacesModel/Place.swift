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
}

extension Place: CustomStringConvertible {
    /// The name, and the state if it is known.
    public var description: String {
        state.map { "\(name), \($0)" } ?? name
    }
}
