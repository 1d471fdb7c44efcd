/// A rectangle, by the corner with the least coordinates and its extents, in points.
public struct Rect: Sendable, Hashable, Codable {
    /// The corner with the least coordinates.
    public var origin: Point
    /// The extents.
    public var size: Size

    /// The rectangle without extent at the origin.
    public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

    /// Makes a rectangle of its corner and extents.
    public init(x: Double, y: Double, width: Double, height: Double) {
        origin = Point(x: x, y: y)
        size = Size(width: width, height: height)
    }

    /// Whether a point lies in it. Its left and upper edges belong to it, the others do not, so that of rectangles side by
    /// side one has the point.
    public func contains(_ point: Point) -> Bool {
        point.x >= origin.x && point.x < origin.x + size.width && point.y >= origin.y
            && point.y < origin.y + size.height
    }
}

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

/// A width and a height, in points.
public struct Size: Sendable, Hashable, Codable {
    /// The width, in points.
    public var width: Double
    /// The height, in points.
    public var height: Double

    /// A size without extent: of a presentation, that it is not known.
    public static let zero = Size(width: 0, height: 0)

    /// Makes a size of its two extents.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
