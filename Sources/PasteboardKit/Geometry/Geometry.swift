/// A rectangle: its corner with the least coordinates and its size, in points.
public struct Rect: Sendable, Hashable, Codable {
    /// The corner with the least coordinates.
    public var origin: Point
    /// The width and height.
    public var size: Size

    /// The rectangle of size zero at the origin.
    public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

    /// Makes a rectangle from the coordinates of its corner and its size.
    public init(x: Double, y: Double, width: Double, height: Double) {
        origin = Point(x: x, y: y)
        size = Size(width: width, height: height)
    }

    /// Returns whether a point is in the rectangle. The left and upper edges belong to the rectangle, the right and
    /// lower edges do not, so a point on a common edge of two rectangles is in only one of them.
    public func contains(_ point: Point) -> Bool {
        point.x >= origin.x && point.x < origin.x + size.width && point.y >= origin.y
            && point.y < origin.y + size.height
    }
}

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
