/// A line of a screen, exactly as wide as it is. What does not fit is cut off, and never reaches the next line.
public struct Line: Sendable, Equatable {
    /// One column.
    struct Cell: Sendable, Equatable {
        /// nil: the second half of what is before it.
        var glyph: Glyph?
        var style: Style
    }

    /// Its width.
    let columns: Int
    private(set) var cells: [Cell] = []

    /// Makes an empty line.
    init(columns: Int) {
        self.columns = columns
        cells.reserveCapacity(columns)
    }

    /// How much fits behind what is there.
    var room: Int { columns - cells.count }

    /// Appends text.
    ///
    /// - Parameter limit: the most columns it may take; what is longer ends with an ellipsis.
    mutating func append(_ text: String, _ style: Style = .plain, limit: Int = .max) {
        let limit = min(limit, room)
        for glyph in text.glyphs(atMost: limit + 1).fitting(limit) { append(glyph, style) }
    }

    /// Appends the text as often as it fits, but for some columns.
    mutating func fill(with text: Character = " ", _ style: Style = .plain, leaving rest: Int = 0) {
        let glyph = Glyph(text)
        while room - rest >= glyph.columns { append(glyph, style) }
    }

    /// It and blanks up to its end.
    func filled(_ style: Style = .plain) -> Line {
        var line = self
        line.fill(with: " ", style)
        return line
    }

    private mutating func append(_ glyph: Glyph, _ style: Style) {
        cells.append(Cell(glyph: glyph, style: style))
        if glyph.columns == 2 { cells.append(Cell(glyph: nil, style: style)) }
    }

    /// Its text, without the blanks at the end.
    var text: String {
        var text = cells.reduce(into: "") { $0 += $1.glyph?.text ?? "" }
        while text.last == " " { text.removeLast() }
        return text
    }
}
