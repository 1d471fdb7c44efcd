import FoundationEssentials
import PasteboardKit
import SampleModels
import TableDragAndDrop
import TerminalTable

// The screen of the table.
extension TerminalPlaces {
    /// The interval in which changes are drawn together.
    private static let blink = Duration.milliseconds(8)

    func show() {
        guard !isDrawingDue else { return }
        isDrawingDue = true
        Task {
            try? await Task.sleep(for: Self.blink)
            isDrawingDue = false
            terminal.show(screen())
        }
    }

    private func screen() -> TableScreen {
        let rows = shown
        cursor = max(0, min(cursor, rows.count - 1))
        var screen = TableScreen(title: finger.home.isEmpty ? "places" : finger.home)
        screen.state = table.isEditing ? "edit mode" : ""
        screen.rows = rows.map(row)
        screen.cursor = finger.drag == nil && !rows.isEmpty ? cursor : nil
        screen.focus = focus
        screen.mark = visit.map { mark($0, in: rows) }
        screen.session = session
        screen.message = finger.refusal ?? message
        screen.hints = showsKeys ? [.init("any key", "back"), .init("q", "quit")] : hints
        screen.page = showsKeys ? keysPage : nil
        return screen
    }

    private var hints: [TableScreen.Hint] {
        let own: [TableScreen.Hint] =
            if finger.drag != nil {
                [.init("←→", "destination"), .init("space", "drop"), .init("esc", "cancel")]
            } else if let stoppable {
                [.init("space", "pick up"), .init("esc", "stop \(stoppable.name.shortened(to: 16))")]
            } else {
                [.init("space", "pick up")]
            }
        return [.init("↑↓", "row")] + own + [.init("e", "edit mode"), .init("?", "keys"), .init("q", "quit")]
    }

    /// The help page with all keys and the rules of the table.
    private var keysPage: TableScreen.Page {
        TableScreen.Page(
            keys: [
                .init("↑ ↓ or k j", "previous, next row"),
                .init("PgUp PgDn", "ten rows"),
                .init("Home End", "first, last row"),
                .init("space", "picks a row up; drops it"),
                .init("← → or h l", "goes to another destination"),
                .init("esc", "cancels a drag, or a coming row"),
                .init("e", "edit mode: rows can be moved"),
                .init("q", "quit"),
            ],
            notes: [
                acceptance.policy == .strict
                    ? "This table takes one row at a time. Its own rows move only in edit mode."
                    : "This table takes any number of rows. Its own rows move at any time.",
                "Others can drop here as \(finger.home).",
            ]
        )
    }

    private func row(_ row: TableRow) -> TableScreen.Row {
        switch row {
        case .row(let path):
            let name = places.names[path.row]
            return path.row == lifted?.row && finger.drag != nil ? .lifted(name) : .plain(name)
        case .placeholder(let cell):
            let progress = loads[cell.reuseIdentifier ?? ""]
            let isKnown = progress.map { $0.totalUnitCount > 0 } ?? false
            return .placeholder(cell.textLabel?.text ?? "", fraction: isKnown ? progress?.fractionCompleted : nil)
        }
    }

    private func mark(_ visit: Visit, in rows: [TableRow]) -> TableScreen.Mark {
        let row = visit.path.flatMap(index)
        let operation = visit.proposal.operation
        switch operation {
        case .move where row == nil && visit.session.localDragSession != nil:
            // After the last row, but before the placeholders there.
            let last = index(of: IndexPath(row: places.names.count - 1, section: 0))
            return .init(.gap(before: (last ?? -1) + 1), "\(operation.words) \(visit.session.words)")
        case .copy, .move:
            return .init(
                .gap(before: (row ?? rows.count) + (leavesBehind(visit) ? 1 : 0)),
                "\(operation.words) \(visit.session.words)"
            )
        case .cancel, .forbidden:
            let isOwn = visit.session.localDragSession != nil
            let reason = isOwn && !table.isEditing ? "nothing: rows move in edit mode" : "nothing"
            return .init(row.map { .row($0) } ?? .gap(before: rows.count), reason, isRefused: true)
        }
    }

    /// Whether the session drags a row of this table from above the drop location. The rows below it then move up, so
    /// it lands after the row that is now there.
    private func leavesBehind(_ visit: Visit) -> Bool {
        guard visit.proposal.operation == .move, finger.drag != nil, let lifted, let path = visit.path else {
            return false
        }
        return path.row > lifted.row && path.row < places.names.count
    }

    /// The current session: the one held by the pointer here, or one of another process over the table.
    private var session: TableScreen.Session? {
        guard let drag = finger.drag else {
            return visit.map { visit in
                let origin = visit.session.localDragSession == nil ? "another program" : "this table"
                return .init(
                    "\(visit.session.words) from \(origin)",
                    to: place(visit.path?.row),
                    operation: visit.proposal.operation.words
                )
            }
        }
        let target =
            switch finger.place {
            case .nowhere: "over nothing"
            case .row(let row, finger.home): "here, \(place(row))"
            case .row(let row?, let name): "\(name), row \(row + 1)"
            case .row(nil, let name): "\(name), the end"
            }
        return .init(drag.words, to: target, operation: finger.operation?.words ?? "…")
    }

    private func place(_ row: Int?) -> String {
        guard let row, row < places.names.count else { return "the end" }
        return "row \(row + 1)"
    }
}
