import TestSupport
import Testing

@testable import TerminalTable

@Suite("Tables on a screen", .inProcess)
struct TableScreenTests {
    private func screen() -> TableScreen {
        var screen = TableScreen(title: "west")
        screen.state = "editing"
        screen.rows = [.plain("Yosemite"), .lifted("Sequoia"), .plain("東京 👩‍👩‍👧‍👦"), .placeholder("Zion", fraction: 0.5)]
        screen.cursor = 0
        screen.session = .init("Sequoia", to: "east, row 2", operation: "copy")
        screen.message = "picked up Sequoia"
        screen.hints = [.init("↑↓", "row"), .init("space", "drop"), .init("esc", "cancel")]
        return screen
    }

    @Test("each part is at its position")
    func whole() {
        var screen = screen()
        screen.mark = .init(.gap(before: 2), "copy")
        #expect(
            screen.frame(ScreenSize(columns: 44, rows: 12)).text == [
                " west                               editing",
                " ▸ 1 Yosemite",
                "   2 Sequoia ✈",
                " ──▶ copy ──────────────────────────────────",
                "   3 東京 👩‍👩‍👧‍👦",
                "   4 Zion ██████████░░░░░░░░░░ 50 %",
                "", "", "",
                " ✈ Sequoia → east, row 2: copy",
                " picked up Sequoia",
                " ↑↓ row  space drop  esc cancel",
            ]
        )
    }

    @Test("a drop into a row is marked at the row")
    func intoRow() {
        var screen = screen()
        screen.mark = .init(.row(2), "move")
        let frame = screen.frame(ScreenSize(columns: 44, rows: 12))
        #expect(frame.text[3] == "   3 東京 👩‍👩‍👧‍👦  ◀── move")
        #expect(frame.lines[3].cells.contains { $0.style.isReversed })
    }

    @Test("a gap is shown after the last row, and in a table without rows")
    func gaps() {
        var screen = screen()
        screen.mark = .init(.gap(before: 99), "copy")
        #expect(screen.frame(ScreenSize(columns: 44, rows: 12)).text[5].contains("──▶ copy"))
        screen.rows = []
        #expect(screen.frame(ScreenSize(columns: 44, rows: 12)).text[1].contains("──▶ copy"))
        screen.mark = nil
        #expect(screen.frame(ScreenSize(columns: 44, rows: 12)).text[1].contains("(no rows)"))
    }

    @Test("a placeholder shows its name and any known progress", arguments: [nil, 0, 0.001, 1])
    func placeholder(fraction: Double?) {
        var screen = TableScreen(title: "west")
        screen.rows = [.placeholder("Zion", fraction: fraction)]
        for columns in 1...60 {
            let frame = screen.frame(ScreenSize(columns: columns, rows: 3))
            #expect(frame.lines.allSatisfy { $0.cells.count == columns })
        }
        let line = screen.frame(ScreenSize(columns: 60, rows: 3)).text[1]
        #expect(line.hasSuffix(fraction.map { $0 == 1 ? " 100 %" : " 0 %" } ?? "Zion …"))
    }

    @Test("rows that do not fit scroll with the cursor, or with the drop")
    func scrolling() {
        var screen = TableScreen(title: "west")
        screen.rows = (1...100).map { .plain("place \($0)") }
        screen.cursor = 57
        let size = ScreenSize(columns: 40, rows: 12)
        #expect(screen.frame(size).text.contains(" ▸  58 place 58"))
        #expect(screen.frame(size).text[0].hasSuffix("of 100"))
        screen.mark = .init(.gap(before: 3), "copy")
        #expect(screen.frame(size).text.contains { $0.hasPrefix(" ──▶ copy") })
        #expect(screen.frame(size).text[0].hasSuffix("1–8 of 100"))
        screen.mark = .init(.row(99), "copy")
        #expect(screen.frame(size).text.contains { $0.contains("100 place 100  ◀── copy") })
        screen.mark = nil
        screen.cursor = 0
        #expect(screen.frame(size).text[1] == " ▸   1 place 1")
    }

    @Test("keys that do not fit into one line continue in the next")
    func hints() {
        var screen = screen()
        screen.rows = []
        let text = screen.frame(ScreenSize(columns: 16, rows: 14)).text
        #expect(text.suffix(3) == [" ↑↓ row", " space drop", " esc cancel"])
    }

    @Test("keys that do not fit are left out, the key to quit last")
    func fewHints() {
        var screen = screen()
        screen.hints += [.init("?", "keys"), .init("q", "quit")]
        let all = " ↑↓ row  space drop  esc cancel  ? keys  q quit"
        #expect(screen.frame(ScreenSize(columns: 60, rows: 6)).text.last == all)
        #expect(screen.frame(ScreenSize(columns: 40, rows: 6)).text.last == " ↑↓ row  space drop  ? keys  q quit")
        #expect(screen.frame(ScreenSize(columns: 20, rows: 5)).text.last == " ? keys  q quit")
        #expect(screen.frame(ScreenSize(columns: 8, rows: 4)).text.suffix(2) == [" ✈ copy", " q quit"])
        // With fewer lines only one of the two is shown: the session, or otherwise the keys.
        for rows in 2...3 { #expect(screen.frame(ScreenSize(columns: 8, rows: rows)).text.last == " ✈ copy") }
        screen.session = nil
        for rows in 2...3 { #expect(screen.frame(ScreenSize(columns: 8, rows: rows)).text.last == " q quit") }
    }

    @Test("a page replaces the rows and has each meaning in a separate column")
    func page() {
        var screen = screen()
        screen.session = nil
        screen.page = .init(
            keys: [.init("space", "picks up"), .init("q", "quits at once, whatever is going on")],
            notes: ["A note that needs two lines."]
        )
        #expect(
            Array(screen.frame(ScreenSize(columns: 26, rows: 12)).text[1...7]) == [
                " space  picks up", " q      quits at once,", "        whatever is going", "        on", "",
                " A note that needs two", " lines.",
            ]
        )
        for columns in 1...60 {
            #expect(screen.frame(ScreenSize(columns: columns, rows: 9)).lines.allSatisfy { $0.cells.count == columns })
        }
    }

    @Test(
        "every size shows something, each line exactly as wide as the screen",
        arguments: thinned([1, 2, 3, 8, 14], full: Array(1...14))
    )
    func sizes(rows: Int) {
        var screen = screen()
        screen.title = "a title that is much longer than the screen: 東京 東京 東京"
        screen.rows = Array(repeating: .plain("東京 👩‍👩‍👧‍👦 and a name that is long, for a name of a row"), count: 20)
        for mark in [nil, TableScreen.Mark(.gap(before: 4), "move here: 東京"), .init(.row(5), "copy")] {
            screen.mark = mark
            for columns in thinned([1, 2, 3, 4, 5, 8, 13, 21, 34, 59, 60], full: Array(1...60)) {
                let frame = screen.frame(ScreenSize(columns: columns, rows: rows))
                #expect(frame.lines.count == rows)
                #expect(frame.lines.allSatisfy { $0.cells.count == columns })
            }
        }
    }

    @Test("a long name leaves space for the drop location and the operation")
    func longNames() {
        var screen = screen()
        let name = String(repeating: "long ", count: 40)
        screen.session = .init(name, to: "east, row 2", operation: "copy")
        screen.rows = [.lifted(name)]
        screen.mark = .init(.row(0), "nothing", isRefused: true)
        screen.cursor = nil
        let text = screen.frame(ScreenSize(columns: 44, rows: 12)).text
        #expect(text[9] == " ✈ long long long long … → east, row 2: copy")
        #expect(text[1] == "   1 long long long long lon… ✈  ◀── nothing")
        let narrow = screen.frame(ScreenSize(columns: 20, rows: 8)).text
        #expect(narrow.contains { $0.hasSuffix(": copy") })
        let tiny = screen.frame(ScreenSize(columns: 10, rows: 8)).text
        #expect(tiny.contains(" ✈ copy"))
    }

    @Test("a long message continues in the next line, if there are enough")
    func messages() {
        var screen = screen()
        screen.message = "Yosemite stays: the destination east has gone, as its program has ended"
        let text = screen.frame(ScreenSize(columns: 44, rows: 12)).text
        #expect(text[9...10] == [" Yosemite stays: the destination east has", " gone, as its program has ended"])
        let low = screen.frame(ScreenSize(columns: 44, rows: 6)).text
        #expect(low.contains(" Yosemite stays: the destination east has g…"))
    }

    @Test("the dropped row stays visible, whatever row has the cursor")
    func focus() {
        var screen = TableScreen(title: "west")
        screen.rows = (1...100).map { .plain("place \($0)") }
        screen.cursor = 0
        screen.focus = 70
        #expect(screen.frame(ScreenSize(columns: 40, rows: 12)).text.contains("    71 place 71"))
    }

    @Test("without a cursor and a drop, the dragged row is visible")
    func liftedInView() {
        var screen = TableScreen(title: "west")
        screen.rows = (1...100).map { $0 == 60 ? .lifted("place 60") : .plain("place \($0)") }
        #expect(screen.frame(ScreenSize(columns: 40, rows: 12)).text.contains("    60 place 60 ✈"))
    }

    @Test("text that does not fit ends with an ellipsis")
    func ellipsis() {
        var screen = TableScreen(title: "west")
        screen.rows = [.plain("a very long name"), .plain("東京東京東京東京")]
        let text = screen.frame(ScreenSize(columns: 14, rows: 8)).text
        #expect(text[1] == "   1 a very l…")
        #expect(text[2] == "   2 東京東京…")
    }
}

extension Frame {
    /// The text of each line, without the blanks at its end.
    var text: [String] {
        lines.map { line in
            let text = line.cells.map { $0.glyph?.text ?? "" }.joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }
}
