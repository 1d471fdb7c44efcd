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
