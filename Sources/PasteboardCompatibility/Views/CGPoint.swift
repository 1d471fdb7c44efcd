public import Foundation
public import PasteboardKit

extension CGPoint {
    /// Makes a point from one of a session's location.
    public init(_ point: Point) {
        self.init(x: point.x, y: point.y)
    }
}

extension Point {
    /// Makes a point for a session's location.
    public init(_ point: CGPoint) {
        self.init(x: point.x, y: point.y)
    }
}

extension DropLocation {
    /// Makes a location with a point of a view.
    public init(_ destination: String, indexPath: IndexPath? = nil, point: CGPoint) {
        self.init(destination, indexPath: indexPath, point: Point(point))
    }
}
