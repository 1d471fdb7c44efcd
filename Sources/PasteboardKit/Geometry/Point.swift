/// A point in the plane, in points.
public struct Point: Sendable, Hashable, Codable {
    /// How far to the right of the origin, in points.
    public var x: Double
    /// How far below the origin, in points.
    public var y: Double

    /// The origin.
    public static let zero = Point(x: 0, y: 0)

    /// Makes a point of its two coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
