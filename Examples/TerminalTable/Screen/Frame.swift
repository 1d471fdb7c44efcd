/// All that a terminal shows.
public struct Frame: Sendable, Equatable {
    /// How big it is.
    public let size: ScreenSize
    /// As many as there are rows, each as wide as the screen.
    private(set) var lines: [Line]

    /// A frame of these lines, with blank ones below.
    init(_ lines: [Line], size: ScreenSize) {
        self.size = size
        let blank = Line(columns: size.columns).filled()
        self.lines = lines.prefix(size.rows).map { $0.filled() }
        while self.lines.count < size.rows { self.lines.append(blank) }
    }

    /// The text of each line.
    public var text: [String] { lines.map(\.text) }

    // MARK: Drawing

    /// What a terminal has to be sent that shows another frame, or, with nil, anything.
    ///
    /// - Parameter hasColors: whether there are any; everything that a colour tells is told in words, too.
    public func bytes(from shown: Frame?, hasColors: Bool = true) -> [UInt8] {
        guard let shown, shown.size == size else {
            return Array("\u{1B}[0m\u{1B}[2J".utf8) + bytes(from: Frame([], size: size), hasColors: hasColors)
        }
        var drawing = Drawing(hasColors: hasColors)
        for (row, (line, before)) in zip(lines, shown.lines).enumerated() where line != before {
            // Where a terminal may take another width, nobody knows what it has drawn over.
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

/// The sequences that draw cells, as few as possible.
private struct Drawing {
    private let hasColors: Bool
    private var output = ""
    private var style: Style?
    /// Where the terminal draws next, if that is known.
    private var position: (row: Int, column: Int)?

    init(hasColors: Bool) {
        self.hasColors = hasColors
    }

    /// Draws what begins in a cell.
    ///
    /// - Returns: the columns it takes.
    mutating func draw(_ cell: Line.Cell, row: Int, column: Int) -> Int {
        // The second half of a glyph is drawn with the first, whose cell is different whenever this one is.
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
            // Blank first: a terminal that takes fewer columns would leave what was there.
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
