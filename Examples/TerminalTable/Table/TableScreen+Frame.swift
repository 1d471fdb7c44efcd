extension TableScreen {
    /// Draws the screen: the title, the rows, the session, the last message, and the keys.
    ///
    /// On a screen with few rows less important parts are left out: first the message, then the title, and the rows of
    /// the table last. If the session and the keys share a line, the keys are shown while there is no session.
    func frame(_ size: ScreenSize) -> Frame {
        let height = size.rows
        let sharesLine = height <= 3
        let hasTitle = height >= 3
        let hasSession = height >= 2 && (session != nil || !sharesLine)
        let hasHints = height >= 2 && !(hasSession && sharesLine)
        let hintLines = hasHints ? hintLines(size.columns, atMost: max(1, (height - 2) / 4)) : []
        let messageLines = height >= 5 ? messageLines(size.columns, atMost: max(1, height / 5)) : []
        let others = hintLines.count + messageLines.count + [hasTitle, hasSession].count { $0 }
        let table = page.map { (lines: $0.lines(size.columns), focus: 0, gap: nil) } ?? tableLines(size.columns)
        let visible = Self.visible(table.lines.count, around: table.focus, height: height - others)

        var lines: [Line] = []
        if hasTitle {
            // The gap is not counted as a row.
            let gap = table.gap ?? visible.upperBound
            let first = visible.lowerBound - (gap < visible.lowerBound ? 1 : 0)
            let end = visible.upperBound - (gap < visible.upperBound ? 1 : 0)
            lines.append(titleLine(size.columns, visible: first..<max(first, end)))
        }
        lines += table.lines[visible]
        lines += Array(repeating: Line(columns: size.columns), count: height - others - visible.count)
        if hasSession { lines.append(sessionLine(size.columns)) }
        return Frame(lines + messageLines + hintLines, size: size)
    }

    /// The range of visible lines: those around the line with the focus.
    private static func visible(_ count: Int, around focus: Int, height: Int) -> Range<Int> {
        let first = max(0, min(focus - height / 2, count - height))
        return first..<min(first + height, count)
    }

    // MARK: Lines

    private func titleLine(_ columns: Int, visible: Range<Int>) -> Line {
        let style = Style(isBold: true, isReversed: true)
        let range = visible.count < rows.count ? "\(visible.lowerBound + 1)–\(visible.upperBound) of \(rows.count)" : ""
        let words = [state, range].filter { !$0.isEmpty }
        var line = Line(columns: columns, " \(title) ", style)
        // Show all words, or the state alone, or nothing.
        for right in [words.joined(separator: "  "), state] where right.columns < line.room {
            line.fill(with: " ", style, leaving: right.columns + 1)
            line.append(right, style)
            break
        }
        return line.filled(style)
    }

    private func sessionLine(_ columns: Int) -> Line {
        guard let session else { return Line(columns: columns) }
        let style = Style(color: .cyan, isBold: true)
        let room = columns - " ✈  → : \(session.operation)".columns
        guard room >= 4 else { return Line(columns: columns, " ✈ \(session.operation)", style) }
        var line = Line(columns: columns, " ✈ ", style)
        line.append(session.name, style, limit: max(room - session.place.columns, room / 2))
        line.append(" → ", style)
        line.append(session.place, style, limit: line.room - ": \(session.operation)".columns)
        line.append(": \(session.operation)", style)
        return line
    }

    /// The last message, on as many lines as needed and available.
    private func messageLines(_ columns: Int, atMost count: Int) -> [Line] {
        message.wrapped(to: columns - 2, lines: count).map { Line(columns: columns, " \($0)") }
    }

    /// The keys with their meanings, as many as fit. If there are too many, those before the last two are left out
    /// first.
    private func hintLines(_ columns: Int, atMost count: Int) -> [Line] {
        var hints = hints
        while true {
            let lines = Self.hintLines(hints, columns)
            guard lines.count > count else { return lines }
            hints.remove(at: max(0, hints.count - 3))
        }
    }

    private static func hintLines(_ hints: [Hint], _ columns: Int) -> [Line] {
        var lines: [Line] = []
        for hint in hints {
            if lines.isEmpty || lines[lines.count - 1].room < hint.key.columns + hint.meaning.columns + 3 {
                lines.append(Line(columns: columns))
            }
            let last = lines.count - 1
            lines[last].append(lines[last].cells.isEmpty ? " " : "  ")
            lines[last].append(hint.key, Style(isBold: true))
            lines[last].append(" \(hint.meaning)", Style(isDim: true))
        }
        return lines
    }

    // MARK: Rows

    /// The lines of the rows and of the gap, the index of the line in focus, and the index of the gap.
    private func tableLines(_ columns: Int) -> (lines: [Line], focus: Int, gap: Int?) {
        var gap: Int?
        var lines = rows.enumerated().map { index, row in line(of: row, at: index, columns) }
        var focus = focus ?? cursor ?? rows.firstIndex { if case .lifted = $0 { true } else { false } } ?? 0
        switch mark?.place {
        case .gap(let row):
            focus = max(0, min(row, lines.count))
            lines.insert(gapLine(columns), at: focus)
            gap = focus
        case .row(let row): focus = row
        case nil: break
        }
        if lines.isEmpty { lines.append(Line(columns: columns, "   (no rows)", Style(isDim: true))) }
        return (lines, max(0, min(focus, lines.count - 1)), gap)
    }

    private func gapLine(_ columns: Int) -> Line {
        guard let mark else { return Line(columns: columns) }
        var line = Line(columns: columns, " ──▶ \(mark.label) ", mark.style)
        line.fill(with: "─", mark.style)
        return line
    }

    private func line(of row: Row, at index: Int, _ columns: Int) -> Line {
        var line = Line(columns: columns, index == cursor ? " ▸ " : "   ", Style(isBold: true))
        if columns >= 12 {
            line.append(Self.number(index, of: rows.count) + " ", Style(isDim: true), limit: columns / 4)
        }
        let mark = mark?.place == .row(index) ? mark : nil
        let arrow = mark.map { "  ◀── \($0.label)" } ?? ""
        // A long name leaves space for the label of the drop.
        let room = max(line.room - arrow.columns, line.room * 2 / 3)
        var style = Style(isBold: index == cursor, isReversed: mark != nil)
        switch row {
        case .plain(let text):
            line.append(text, style, limit: room)
        case .lifted(let text):
            style.isDim = true
            line.append(text, style, limit: room - 2)
            line.append(" ✈", Style(color: .cyan))
        case .placeholder(let text, let fraction):
            append(text, fraction, to: &line)
        }
        if let mark { line.append(arrow, mark.style) }
        return line
    }

    /// Appends the name of a placeholder, at most half of the line wide, and its progress.
    private func append(_ text: String, _ fraction: Double?, to line: inout Line) {
        line.append(text, Style(color: .yellow), limit: max(line.room / 2, 1))
        line.append(" ")
        guard let fraction else { return line.append("…", Style(color: .yellow)) }
        let percent = " \(Int(fraction * 100)) %"
        let bar = min(line.room - percent.columns, 20)
        if bar >= 3 {
            let full = Int(fraction * Double(bar))
            line.append(String(repeating: "█", count: full), Style(color: .yellow))
            line.append(String(repeating: "░", count: bar - full), Style(color: .yellow, isDim: true))
        }
        line.append(percent)
    }

    /// The number of a row for users, as wide as the number of the last row.
    private static func number(_ index: Int, of count: Int) -> String {
        let number = String(index + 1)
        return String(repeating: " ", count: max(String(count).count - number.count, 0)) + number
    }
}

extension TableScreen.Page {
    /// The keys with their meanings in a separate column, followed by the notes.
    fileprivate func lines(_ columns: Int) -> [Line] {
        let width = min(keys.map(\.key.columns).max() ?? 0, columns / 3)
        let room = max(1, columns - width - 3)
        var lines: [Line] = []
        for key in keys {
            for (index, text) in key.meaning.wrapped(to: room, lines: .max).enumerated() {
                var line = Line(columns: columns, " ")
                line.append(index == 0 ? key.key : "", Style(isBold: true), limit: width)
                line.fill(leaving: max(0, columns - width - 2))
                line.append(" \(text)")
                lines.append(line)
            }
        }
        for note in notes {
            lines.append(Line(columns: columns))
            lines += note.wrapped(to: columns - 2, lines: .max).map { Line(columns: columns, " \($0)") }
        }
        return lines
    }
}

extension Line {
    /// Makes a line that begins with text.
    fileprivate init(columns: Int, _ text: String, _ style: Style = .plain, limit: Int = .max) {
        self.init(columns: columns)
        append(text, style, limit: limit)
    }
}
