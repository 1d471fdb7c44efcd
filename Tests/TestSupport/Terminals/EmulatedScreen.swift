/// A terminal's screen, as far as programs of this package use it. It draws the output of a program and records unknown
/// sequences.
///
/// It draws scalar by scalar, as do terminals that do not combine characters: programs have to work with both. The test
/// defines the width of scalars.
package struct EmulatedScreen {
    private struct Cell {
        /// The text; nil for the right half of the glyph before it.
        var text: String?
        var isReversed = false
    }

    package private(set) var columns: Int
    package private(set) var rows: Int
    /// Whether the alternate screen is active.
    package private(set) var isAlternate = false
    package private(set) var isCursorVisible = true
    package private(set) var wraps = true
    /// Whether pasted text is marked.
    package private(set) var marksPastes = false
    /// Unknown sequences, escaped.
    package private(set) var unknown: [String] = []
    /// The text drawn outside of the alternate screen.
    package private(set) var shellText = ""

    private let width: (Unicode.Scalar) -> Int
    private var cells: [[Cell]]
    private var row = 0
    private var column = 0
    private var isReversed = false
    private var pending: [UInt8] = []
    private var sequence: String?

    package init(columns: Int, rows: Int, width: @escaping (Unicode.Scalar) -> Int = { _ in 1 }) {
        self.columns = columns
        self.rows = rows
        self.width = width
        cells = Self.blank(columns, rows)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[Cell]] {
        Array(repeating: Array(repeating: Cell(text: " "), count: columns), count: rows)
    }

    // MARK: Contents

    /// The lines without the blanks at their ends.
    package var lines: [String] {
        cells.map { line in
            var text = line.map { $0.text ?? "" }.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    package var text: String { lines.joined(separator: "\n") }

    /// The lines in which something is drawn with exchanged colours, except for the title.
    package var highlightedLines: [String] {
        zip(self.cells, lines).dropFirst().filter { cells, _ in cells.contains(where: \.isReversed) }.map(\.1)
    }

    /// The glyph that begins at a column of a line; nil if the cell is a right half.
    package func glyph(row: Int, column: Int) -> String? { cells[row][column].text }

    /// The first line that contains a text.
    package func line(containing text: String) -> Int? { lines.firstIndex { $0.contains(text) } }

    // MARK: Changes

    /// Resizes as terminals do: contents keep their position, cut off or surrounded by blanks.
    package mutating func resize(columns: Int, rows: Int) {
        var cells = Self.blank(columns, rows)
        for row in 0..<min(rows, self.rows) {
            for column in 0..<min(columns, self.columns) { cells[row][column] = self.cells[row][column] }
        }
        (self.columns, self.rows, self.cells) = (columns, rows, cells)
        self.row = min(self.row, rows - 1)
        self.column = min(self.column, columns - 1)
    }

    package mutating func receive(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            pending.append(byte)
            let needed = byte < 0x80 ? 1 : pending[0] >= 0xF0 ? 4 : pending[0] >= 0xE0 ? 3 : 2
            guard pending.count >= needed else { continue }
            let text = String(decoding: pending, as: UTF8.self)
            pending = []
            for scalar in text.unicodeScalars { receive(scalar) }
        }
    }

    private mutating func receive(_ scalar: Unicode.Scalar) {
        if var sequence = self.sequence {
            sequence.unicodeScalars.append(scalar)
            self.sequence = sequence
            if sequence == "[" || !(0x40...0x7E ~= scalar.value) { return }
            self.sequence = nil
            perform(sequence)
        } else if scalar == "\u{1B}" {
            self.sequence = ""
        } else if !isAlternate {
            shellText.unicodeScalars.append(scalar)
        } else if scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value {
            unknown.append("control \(scalar.value)")
        } else {
            draw(scalar)
        }
    }

    private mutating func draw(_ scalar: Unicode.Scalar) {
        let width = self.width(scalar)
        guard width > 0 else {
            // The scalar combines with the one before it.
            let before = cells[row][..<self.column].lastIndex { $0.text != nil }
            if let before { cells[row][before].text?.unicodeScalars.append(scalar) }
            return
        }
        // Without wrapping, a glyph at the end of a line replaces the one there.
        let column = min(self.column, columns - width)
        guard column >= 0 else { return }
        clearHalves(at: column..<column + width)
        cells[row][column] = Cell(text: String(scalar), isReversed: isReversed)
        if width == 2 { cells[row][column + 1] = Cell(text: nil, isReversed: isReversed) }
        if wraps, column + width >= columns { unknown.append("wraps") }
        self.column = min(column + width, columns)
    }

    /// Clears the other halves of glyphs that are cut in half.
    private mutating func clearHalves(at range: Range<Int>) {
        if cells[row][range.lowerBound].text == nil, range.lowerBound > 0 {
            cells[row][range.lowerBound - 1].text = " "
        }
        if range.upperBound < columns, cells[row][range.upperBound].text == nil {
            cells[row][range.upperBound].text = " "
        }
    }

    private mutating func perform(_ sequence: String) {
        let numbers = sequence.dropFirst().dropLast().split(separator: ";").map { Int($0) ?? 0 }
        switch sequence {
        case "[?1049h":
            isAlternate = true
            cells = Self.blank(columns, rows)
        case "[?1049l": isAlternate = false
        case "[?25h": isCursorVisible = true
        case "[?25l": isCursorVisible = false
        case "[?7h": wraps = true
        case "[?7l": wraps = false
        case "[?2004h": marksPastes = true
        case "[?2004l": marksPastes = false
        case "[2J": cells = Self.blank(columns, rows)
        case _ where sequence.last == "H" && numbers.count == 2:
            if numbers[0] > rows || numbers[1] > columns { unknown.append("beyond: \(sequence)") }
            row = min(max(numbers[0], 1), rows) - 1
            column = min(max(numbers[1], 1), columns) - 1
        case _ where sequence.last == "m" && !numbers.isEmpty && numbers[0] == 0:
            isReversed = numbers.contains(7)
        default: unknown.append(sequence)
        }
    }
}
