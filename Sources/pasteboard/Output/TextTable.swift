import PasteboardTransport

/// Columns for a terminal, separated by at least two spaces, so that scripts can parse them.
enum TextTable {
    /// - Parameter width: the columns of the terminal. If a row is longer, its last cell continues on the next lines,
    ///   in its column. nil if rows are never broken.
    static func text(_ rows: [[String]], width: Int? = nil) -> String {
        let rows = rows.map { $0.map(VisibleText.line) }
        let columns = max(1, rows.map(\.count).max() ?? 1)
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? TerminalWidth.of($0[column]) : 0 }.max() ?? 0
        }
        let start = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        return rows.map { row in
            let first = row.prefix(columns - 1).enumerated().map { column, cell in
                cell + String(repeating: " ", count: widths[column] - TerminalWidth.of(cell) + 2)
            }.joined()
            let last = row.dropFirst(columns - 1).joined()
            guard let width, columns > 1 else {
                var line = first + last
                while line.hasSuffix(" ") { line.removeLast() }
                return line + "\n"
            }
            let lines = HelpText.lines(
                of: last.split(separator: " "),
                first: first,
                next: String(repeating: " ", count: start),
                // In a very narrow terminal a line has at least some words.
                width: max(width, start + 20)
            )
            return (lines.isEmpty ? first : lines.joined(separator: "\n")) + "\n"
        }.joined()
    }

    /// A program as a cell or in a message: `label (process)`, as far as they are known.
    static func program(_ label: String?, _ process: (some BinaryInteger)?) -> String {
        [label, process.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
    }
}
