/// A line of a screen, exactly as wide as the screen. Text that does not fit is cut off and never continues in the next
/// line.
struct Line: Equatable {
    /// One column.
    struct Cell: Equatable {
        /// The glyph; nil for the second half of the glyph before it.
        var glyph: Glyph?
        var style: Style
    }

    /// The width.
    let columns: Int
    private(set) var cells: [Cell] = []

    /// Makes an empty line.
    init(columns: Int) {
        self.columns = columns
        cells.reserveCapacity(columns)
    }

    /// The number of free columns.
    var room: Int { columns - cells.count }

    /// Appends text.
    ///
    /// - Parameter limit: the maximum number of columns. Longer text ends with an ellipsis.
    mutating func append(_ text: String, _ style: Style = .plain, limit: Int = .max) {
        let limit = min(limit, room)
        for glyph in text.glyphs(atMost: limit + 1).fitting(limit) { append(glyph, style) }
    }

    /// Repeats the text until only `rest` columns are free.
    mutating func fill(with text: Character = " ", _ style: Style = .plain, leaving rest: Int = 0) {
        let glyph = Glyph(text)
        while room - rest >= glyph.columns { append(glyph, style) }
    }

    /// The line, filled with blanks.
    func filled(_ style: Style = .plain) -> Line {
        var line = self
        line.fill(with: " ", style)
        return line
    }

    private mutating func append(_ glyph: Glyph, _ style: Style) {
        cells.append(Cell(glyph: glyph, style: style))
        if glyph.columns == 2 { cells.append(Cell(glyph: nil, style: style)) }
    }
}
