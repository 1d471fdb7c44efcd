/// A point in the plane, in points.
public struct Point: Sendable, Hashable {
    /// The distance to the right of the origin, in points.
    public var x: Double
    /// The distance below the origin, in points.
    public var y: Double

    /// The origin.
    public static let zero = Point(x: 0, y: 0)

    /// Makes a point from its coordinates.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
