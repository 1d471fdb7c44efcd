public import PasteboardKit

/// A location in a program, in the form used by scripts: `2`, `Tama 2`, `30,40`.
public struct Spot: Sendable, Hashable {
    /// The location within a surface.
    public enum Position: Sendable, Hashable {
        /// A row of a table.
        case row(Int)
        /// A point of a view.
        case point(Point)

        /// Reads a number, or two separated by a comma; nil if the word is neither.
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

    /// The name of one of the program's tables; nil if the program has only one.
    public let surface: String?
    /// The location within the surface.
    public let position: Position

    /// Makes a spot.
    public init(surface: String? = nil, _ position: Position) {
        self.surface = surface
        self.position = position
    }

    /// The row. A point counts as the first row.
    public var row: Int {
        if case .row(let row) = position { row } else { 0 }
    }
}
