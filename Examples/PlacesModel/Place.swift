/// Somewhere to go.
public struct Place: Sendable, Hashable {
    /// The name.
    public let name: String

    /// Makes a place.
    public init(name: String) {
        self.name = name
    }
}
