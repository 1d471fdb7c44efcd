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
