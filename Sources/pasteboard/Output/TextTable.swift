import PasteboardTransport

/// Columns for a terminal, separated by at least two spaces, so that scripts can parse them.
enum TextTable {
    static func text(_ rows: [[String]]) -> String {
        let rows = rows.map { $0.map(VisibleText.line) }
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? TerminalWidth.of($0[column]) : 0 }.max() ?? 0
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
