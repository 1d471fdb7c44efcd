public import FoundationEssentials
import PasteboardWire

/// The location of a session: the name of a destination and, optionally, an index path or a point in it.
public struct DropLocation: Sendable, Hashable, CustomStringConvertible {
    /// The destination's name. An empty name is the tree of views in which the drag began.
    public let destination: String
    /// An index path in the destination, with at most 16 numbers. The destination defines its meaning.
    public var indexPath: IndexPath?
    /// A point in the destination, in the coordinates of its outermost view. It is sent in thousandths of a point.
    public var point: Point?

    /// The destination, the index path and the point.
    public var description: String {
        destination + (indexPath.map { " \(Array($0))" } ?? "") + (point.map { " (\($0.x), \($0.y))" } ?? "")
    }

    /// Makes a location.
    public init(_ destination: String, indexPath: IndexPath? = nil, point: Point? = nil) {
        self.destination = destination
        self.indexPath = indexPath
        self.point = point
    }
}

// The conversion of a location to its message.
extension Location {
    /// - Parameter home: the destination to which an empty name refers.
    /// - Throws: `invalid-argument` for an invalid location.
    init(_ location: DropLocation, home: String?) throws(PasteboardError) {
        self.init()
        destination = location.destination.isEmpty ? home ?? "" : location.destination
        guard !destination.isEmpty else {
            throw Self.invalid(
                "an empty name means the view tree in which the drag began, but it began in none; name the destination"
            )
        }
        guard destination.utf8.count <= WireLimits.name else {
            throw Self.invalid("a destination's name has at most \(WireLimits.name) bytes")
        }
        for number in location.indexPath ?? [] {
            guard let number = UInt32(exactly: number), indexPath.count < WireLimits.indexPath else {
                throw Self.invalid("an index path has at most \(WireLimits.indexPath) numbers, from 0 to \(UInt32.max)")
            }
            indexPath.append(number)
        }
        if let point = location.point {
            guard let x = Int64(exactly: (point.x * 1_000).rounded()),
                let y = Int64(exactly: (point.y * 1_000).rounded())
            else { throw Self.invalid("the point \(point.x), \(point.y) is not finite or is out of range") }
            (self.x, self.y) = (x, y)
        }
    }

    private static func invalid(_ what: String) -> PasteboardError {
        PasteboardError(.invalidArgument, message: "the drag cannot be moved there: \(what)")
    }
}

extension DropLocation {
    init(_ location: Location) {
        self.init(location.destination)
        if !location.indexPath.isEmpty { indexPath = IndexPath(indexes: location.indexPath.map { Int($0) }) }
        if let x = location.x, let y = location.y {
            point = Point(x: Double(x) / 1_000, y: Double(y) / 1_000)
        }
    }
}
