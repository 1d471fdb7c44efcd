/// The whole contents of a terminal.
struct Frame: Equatable {
    /// The size of the terminal.
    let size: ScreenSize
    /// The lines, one for each row, each as wide as the screen.
    private(set) var lines: [Line]

    /// Makes a frame from lines, with blank lines below them.
    init(_ lines: [Line], size: ScreenSize) {
        self.size = size
        let blank = Line(columns: size.columns).filled()
        self.lines = lines.prefix(size.rows).map { $0.filled() }
        while self.lines.count < size.rows { self.lines.append(blank) }
    }

    /// The bytes that change a terminal from another frame to this one. With nil its contents are unknown.
    ///
    /// - Parameter hasColors: whether to use colours. Everything that a colour expresses is also expressed in words.
    func bytes(from shown: Frame?, hasColors: Bool = true) -> [UInt8] {
        guard let shown, shown.size == size else {
            return Array("\u{1B}[0m\u{1B}[2J".utf8) + bytes(from: Frame([], size: size), hasColors: hasColors)
        }
        var drawing = Drawing(hasColors: hasColors)
        for (row, (line, before)) in zip(lines, shown.lines).enumerated() where line != before {
            // If the terminal may use another width for a glyph, the state of the rest of the line is unknown.
            let isCertain = line.isCertain && before.isCertain
            var column = 0
            while column < size.columns {
                guard !isCertain || line.cells[column] != before.cells[column] else {
                    column += 1
                    continue
                }
                column += drawing.draw(line.cells[column], row: row, column: column)
            }
        }
        return drawing.finished()
    }
}

/// The escape sequences that draw cells, with as few bytes as possible.
private struct Drawing {
    private let hasColors: Bool
    private var output = ""
    private var style: Style?
    /// The position at which the terminal draws next, if it is known.
    private var position: (row: Int, column: Int)?

    init(hasColors: Bool) {
        self.hasColors = hasColors
    }

    /// Draws the glyph that begins in a cell.
    ///
    /// - Returns: the number of its columns.
    mutating func draw(_ cell: Line.Cell, row: Int, column: Int) -> Int {
        // The second half of a glyph is drawn with the first, whose cell always differs when this one does.
        guard let glyph = cell.glyph else { return 1 }
        if position?.row != row || position?.column != column { output += "\u{1B}[\(row + 1);\(column + 1)H" }
        if style != cell.style {
            output += cell.style.sequence(hasColors: hasColors)
            style = cell.style
        }
        if glyph.isCertain {
            output += glyph.text
            position = (row, column + glyph.columns)
        } else {
            // Draw blanks first: a terminal that uses fewer columns would leave old contents.
            output += String(repeating: " ", count: glyph.columns) + "\u{1B}[\(row + 1);\(column + 1)H" + glyph.text
            position = nil
        }
        return glyph.columns
    }

    func finished() -> [UInt8] {
        Array((style == nil ? output : output + "\u{1B}[0m").utf8)
    }
}

extension Line {
    fileprivate var isCertain: Bool { cells.allSatisfy { $0.glyph?.isCertain ?? true } }
}
