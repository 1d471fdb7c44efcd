public import FoundationEssentials

/// Where a session is, without a screen: over a destination, by its name, and perhaps at a row or a point in it.
public struct DropLocation: Sendable, Hashable {
    /// The destination's name. Empty: the tree of views that the drag began in.
    public let destination: String
    /// A row in it, at most 16 numbers long; what it means is the destination's business.
    public var indexPath: IndexPath?
    /// A point in it, in the coordinates of its outermost view. It travels in thousandths.
    public var point: Point?

    /// Makes a location.
    public init(_ destination: String, indexPath: IndexPath? = nil, point: Point? = nil) {
        self.destination = destination
        self.indexPath = indexPath
        self.point = point
    }
}
