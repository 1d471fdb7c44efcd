/// A terminal's screen, as far as programs of this package use it. It draws the output of a program and records unknown
/// sequences.
///
/// It draws scalar by scalar, as do terminals that do not combine characters. Each takes one column.
struct EmulatedScreen {
    let columns: Int
    let rows: Int
    /// Whether the alternate screen is active.
    private(set) var isAlternate = false
    private(set) var isCursorVisible = true
    private(set) var wraps = true
    /// Whether pasted text is marked.
    private(set) var marksPastes = false
    /// Unknown sequences, escaped.
    private(set) var unknown: [String] = []
    /// The text drawn outside of the alternate screen.
    private(set) var shellText = ""

    private var cells: [[Unicode.Scalar]]
    private var row = 0
    private var column = 0
    private var pending: [UInt8] = []
    private var sequence: String?

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
        cells = Self.blank(columns, rows)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[Unicode.Scalar]] {
        Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    // MARK: Contents

    /// The lines without the blanks at their ends.
    var lines: [String] {
        cells.map { line in
            var text = String(String.UnicodeScalarView(line))
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    var text: String { lines.joined(separator: "\n") }

    // MARK: Changes

    mutating func receive(_ bytes: some Sequence<UInt8>) {
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
        // Without wrapping, a glyph at the end of a line replaces the one there.
        cells[row][min(column, columns - 1)] = scalar
        if wraps, column + 1 >= columns { unknown.append("wraps") }
        column = min(column + 1, columns)
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
        case _ where sequence.last == "m": break
        default: unknown.append(sequence)
        }
    }
}
