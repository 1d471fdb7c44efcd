import PasteboardTransport

/// Columns for a terminal, separated by at least two spaces, so that scripts can parse them.
enum TextTable {
    /// - Parameter width: the columns of the terminal. If a row is longer, its last cell continues on the next lines,
    ///   in its column. nil if rows are never broken.
    static func text(_ rows: [[String]], width: Int? = nil) -> String {
        let rows = rows.map { $0.map(VisibleText.line) }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? TerminalWidth.of($0[column]) : 0 }.max() ?? 0
        }
        if let width, columns > 1 {
            let start = widths.dropLast().reduce(0) { $0 + $1 + 2 }
            let indent = String(repeating: " ", count: start)
            return rows.map { row in
                let cells = row.prefix(columns - 1).enumerated().map { column, cell in
                    cell + String(repeating: " ", count: widths[column] - TerminalWidth.of(cell) + 2)
                }
                let words = row.dropFirst(columns - 1).joined().split(separator: " ")
                // In a very narrow terminal a line has at least some words.
                let width = max(width, start + 20)
                let lines = HelpText.lines(of: words, first: cells.joined(), next: indent, width: width)
                return (lines.isEmpty ? cells.joined() : lines.joined(separator: "\n")) + "\n"
            }.joined()
        }
        return rows.map { row in
            var line = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: widths[column] - TerminalWidth.of(cell))
            }.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// A program as a cell or in a message: `label (process)`, as far as they are known.
    static func program(_ label: String?, _ process: (some BinaryInteger)?) -> String {
        [label, process.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
    }
}
