public import PasteboardKit

/// A place in a program, as scripts write it: `2`, `Tama 2`, `30,40`.
public struct Spot: Sendable, Hashable {
    /// Where exactly.
    public enum Position: Sendable, Hashable {
        /// A row of a table.
        case row(Int)
        /// A point of a view.
        case point(Point)

        /// Reads a number, or two with a comma; nil: it is neither.
        init?(_ word: some StringProtocol) {
            let numbers = word.split(separator: ",", omittingEmptySubsequences: false)
            if numbers.count == 1, let row = Int(word), row >= 0 {
                self = .row(row)
            } else if numbers.count == 2, let x = Double(numbers[0]), let y = Double(numbers[1]), x.isFinite, y.isFinite
            {
                self = .point(Point(x: x, y: y))
            } else {
                return nil
            }
        }
    }

    /// Which of the program's tables; nil where there is one.
    public let surface: String?
    /// Where in it.
    public let position: Position

    /// Makes a spot.
    public init(surface: String? = nil, _ position: Position) {
        self.surface = surface
        self.position = position
    }

    /// The row; of a point, the first one.
    public var row: Int {
        if case .row(let row) = position { row } else { 0 }
    }
}
