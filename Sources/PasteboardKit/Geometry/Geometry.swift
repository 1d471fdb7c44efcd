/// A point in the plane, in points.
public struct Point: Sendable, Hashable, Codable {
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

/// A width and a height, in points.
public struct Size: Sendable, Hashable, Codable {
    /// The width, in points.
    public var width: Double
    /// The height, in points.
    public var height: Double

    /// The size of width and height zero. As a preferred presentation size it means that the size is unknown.
    public static let zero = Size(width: 0, height: 0)

    /// Makes a size from its width and height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
