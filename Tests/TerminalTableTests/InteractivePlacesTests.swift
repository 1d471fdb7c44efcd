import PasteboardTransport
import TestSupport
import Testing

@Suite("Places in terminals", .processes)
struct InteractivePlacesTests {
    private static let down = "\u{1B}[B"
    private static let right = "\u{1B}[C"
    private static let escape = "\u{1B}"

    @Test("a row is picked up in one program and dropped in the other, and both show each step")
    func copy() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west")
        let east = try desk.places("--as", "east")

        try west.type(Self.down + " ")
        try west.wait(for: "✈ Yellowstone → here, row 2: nothing")
        #expect(west.screen.text.contains("  2 Yellowstone ✈"))
        #expect(west.screen.text.contains("2 Yellowstone ✈  ◀── nothing"))
        #expect(west.screen.highlightedLines.count == 1)

        // The names of the targets follow each other: east, west itself, none.
        try west.type(Self.right)
        try west.wait(for: "✈ Yellowstone → east, row 1: copy")
        try west.waitForEnd(of: "◀──")
        try east.wait(for: "✈ Yellowstone from another program → row 1: copy")
        #expect(east.screen.lines[1].hasPrefix(" ──▶ copy Yellowstone ──"))

        try west.type(Self.down + Self.down)
        try west.wait(for: "✈ Yellowstone → east, row 3: copy")
        try east.wait(for: "→ row 3: copy")
        #expect(east.screen.line(containing: "──▶ copy Yellowstone") == 3)
        #expect(east.screen.lines[2] == "   2 Yellowstone")
        #expect(east.screen.lines[4] == "   3 Theodore Roosevelt")

        try west.type(" ")
        try east.wait(for: "Yellowstone has come")
        #expect(east.screen.lines[3] == "    3 Yellowstone")
        #expect(east.screen.lines[4] == "    4 Theodore Roosevelt")
        #expect(east.screen.lines[10] == "   10 Grand Canyon")
        #expect(!east.screen.text.contains("✈"))
        try west.wait(for: "Yellowstone: copied")
        #expect(west.screen.lines[2] == " ▸ 2 Yellowstone")
        #expect(!west.screen.text.contains("✈"))
        for terminal in [west, east] { try quit(terminal) }
    }

    @Test("a drag over one table, over nothing, back again and cancelled, by the letters of vi, changes nothing")
    func cancel() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west")
        let east = try desk.places("--as", "east")
        try west.type("jk l")
        try east.wait(for: "──▶ copy Yosemite")
        try west.type("l")
        try west.wait(for: "✈ Yosemite → over nothing: nothing")
        try east.waitForEnd(of: "✈")
        #expect(!east.screen.text.contains("──▶"))
        try west.type("hj")
        try west.wait(for: "✈ Yosemite → east, row 2: copy")
        try east.wait(for: "→ row 2: copy")
        try west.type(Self.escape)
        try west.wait(for: "Yosemite stays")
        #expect(!west.screen.text.contains("✈"))
        try east.waitForEnd(of: "✈")
        #expect(!east.screen.text.contains("──▶"))
        #expect(east.screen.lines[1...9] == west.screen.lines[1...9])
        for terminal in [west, east] { try quit(terminal) }
    }

    @Test("in edit mode a row moves within its table to the gap")
    func move() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        try places.type(" " + Self.down + Self.down)
        try places.wait(for: "→ here, row 3: nothing")
        // Edit mode also changes the proposal during a drag.
        try places.type("e")
        try places.wait(for: "→ here, row 3: move")
        try places.wait(for: "edit mode in the title") { $0.lines[0].hasSuffix("edit mode") }
        #expect(places.screen.lines[3] == "   3 Theodore Roosevelt")
        #expect(places.screen.lines[4].hasPrefix(" ──▶ move Yosemite ──"))
        try places.type("\r")
        try places.wait(for: "Yosemite: moved")
        #expect(
            places.screen.lines[1...4] == [
                "   1 Yellowstone", "   2 Theodore Roosevelt", " ▸ 3 Yosemite", "   4 Sequoia",
            ]
        )
        try quit(places)
    }

    @Test("a dragged row still moves when others arrive in the meantime, and it exists once")
    func moveBesides() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        let (player, script) = try desk.play("placeholders", "press van 1\nhover places 0\nwait over\nlift\n")
        try places.wait(for: "crate comes")
        try places.type("\u{1B}[H" + Self.down + "e ")
        try places.wait(for: "→ here, row 1: move")
        try System.write(Array("release crate\n".utf8).span, to: script.raw)
        try places.wait(for: "crate has come")
        try places.wait(for: "  2 Yosemite ✈")
        try places.type(Self.down + Self.down + Self.down)
        try places.wait(for: "→ here, row 4: move")
        try places.type(" ")
        try places.wait(for: "Yosemite: moved")
        #expect(
            places.screen.lines[1...5] == [
                "    1 crate", "    2 Yellowstone", "    3 Theodore Roosevelt", " ▸  4 Yosemite", "    5 Sequoia",
            ]
        )
        withExtendedLifetime(player) {}
        try quit(places)
    }

    @Test("a slow load has a placeholder that shows its progress")
    func progress() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west", "--slow", "10")
        let east = try desk.places("--as", "east")
        try west.type(" " + Self.right)
        try west.wait(for: "→ east, row 1: copy")
        try west.type(" ")
        try east.wait(for: " %")
        #expect(east.screen.lines[1].hasPrefix(" ▸  1 Yosemite ") || east.screen.lines[1].hasPrefix("    1 Yosemite "))
        #expect(east.screen.lines[1].contains("░"))
        try east.wait(for: "Yosemite has come")
        #expect(!east.screen.text.contains("░"))
        try west.wait(for: "Yosemite: copied")
        for terminal in [west, east] { try quit(terminal) }
    }

    @Test("the death of a source is shown in the other terminal, and its row does not arrive")
    func death() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west", "--slow", "600")
        let east = try desk.places("--as", "east")
        try west.type(" " + Self.right)
        try west.wait(for: "→ east, row 1: copy")
        try west.type(" ")
        try east.wait(for: "Yosemite comes")
        try west.child.kill(9)
        try east.wait(for: "Yosemite does not come")
        #expect(east.screen.lines[1].hasSuffix("1 Yosemite"))
        #expect(east.screen.lines[2].hasSuffix("2 Yellowstone"))
        try quit(east)
    }

    @Test("names from other programs never reach the terminal as control sequences")
    func strangers() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        let player = try desk.play(
            "places",
            "insert 0 \u{1B}[2J\u{1B}]0;evil\u{7} \u{202E}Ätna 👩‍👩‍👧‍👦\npress 0\nhover places 1\nwait over\nlift\n"
        )
        try places.wait(for: " has come")
        #expect(places.screen.text.contains("␛[2J␛]0;evil␇ \u{FFFD}Ätna "))
        #expect(places.screen.unknown.isEmpty)
        #expect(places.screen.lines[0].hasPrefix(" places"))
        withExtendedLifetime(player) {}
        try quit(places)
    }

    @Test("a change of size is followed, however narrow")
    func resize() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        try places.type(" ")
        try places.wait(for: "→ here, row 1: nothing")
        places.resize(columns: 100, rows: 30)
        try places.wait(for: "the keys at the bottom") { $0.lines[29].hasSuffix("q quit") }
        places.resize(columns: 14, rows: 9)
        try places.wait(for: "cut lines") { $0.lines.contains("   3 Theodore…") }
        #expect(places.screen.lines[0] == " places")
        #expect(places.screen.text.contains("\n ✈ nothing\n"))
        places.resize(columns: 3, rows: 1)
        try places.wait(for: "no title") { $0.lines == [""] }
        places.resize(columns: 60, rows: 20)
        try places.wait(for: "✈ Yosemite → here, row 1: nothing")
        #expect(places.screen.unknown.isEmpty)
        try quit(places)
    }

    @Test("the first free name is used, and a taken name is refused with a message, on an unchanged terminal")
    func names() throws {
        let desk = try TerminalDesk()
        let first = try desk.places()
        let second = try desk.places()
        #expect(first.screen.lines[0] == " places")
        #expect(second.screen.lines[0] == " places-2")
        let third = try TerminalProgram("places", ["--interactive", "--as", "places"], environment: desk.environment)
        #expect(try third.finish() == .exited(1))
        #expect(third.isAsBefore)
        #expect(third.screen.shellText.contains("places: "))
        for terminal in [first, second] { try quit(terminal) }
    }

    @Test("the holder of a row sees that the destination under it has died")
    func deathBelow() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west")
        let east = try desk.places("--as", "east")
        try west.type(" " + Self.right)
        try west.wait(for: "→ east, row 1: copy")
        try east.child.kill(9)
        try west.wait(for: "there is no destination east any more")
        #expect(west.screen.text.contains("→ east, row 1: nothing"))
        // The holder also sees that the destination exists again.
        let other = try desk.places("--as", "east")
        try west.wait(for: "→ east, row 1: copy")
        #expect(!west.screen.text.contains("any more"))
        for terminal in [west, other] { try quit(terminal) }
    }

    @Test("Escape stops the load at the cursor, or else the first one, and the cursor stays at its row")
    func stopLoads() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west", "--slow", "600")
        let other = try desk.places("--as", "other", "--slow", "600")
        let east = try desk.places("--as", "east")
        try east.type(Self.down)
        try east.wait(for: " ▸ 2 Yellowstone")
        try west.type(" " + Self.right)
        try west.wait(for: "→ east, row 1: copy")
        try west.type(" ")
        try east.wait(for: "Yosemite comes")
        try east.wait(for: " ▸  3 Yellowstone")
        try other.type(Self.down + " " + Self.right)
        try other.wait(for: "→ east, row 1: copy")
        try other.type(" ")
        try east.wait(for: "Yellowstone comes")
        try east.wait(for: "esc stop Yosemite")
        try east.type("\u{1B}[H" + Self.down)
        try east.wait(for: "esc stop Yellowstone")
        try east.type(Self.escape)
        try east.wait(for: "Yellowstone was stopped")
        try east.type(Self.down)
        try east.wait(for: " ▸  3 Yellowstone")
        try east.wait(for: "esc stop Yosemite")
        try east.type(Self.escape)
        try east.wait(for: "Yosemite was stopped")
        #expect(east.screen.lines[1...2] == ["   1 Yosemite", " ▸ 2 Yellowstone"])
        try west.wait(for: "Yosemite stays")
        for terminal in [west, other, east] { try quit(terminal) }
    }

    @Test("a question mark shows all keys in place of the rows, and the next key brings the rows back")
    func keys() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        try places.wait(for: "? keys")
        try places.type("?")
        try places.wait(for: "edit mode: rows can be moved")
        #expect(places.screen.text.contains("Others can drop here as places."))
        #expect(!places.screen.text.contains("Yosemite"))
        try places.type("e")
        try places.wait(for: " ▸ 1 Yosemite")
        #expect(!places.screen.lines[0].contains("edit mode"))
        try quit(places)
    }

    @Test("if a drop would do nothing, the reason is shown")
    func reasons() throws {
        let desk = try TerminalDesk()
        let places = try desk.places(columns: 100, rows: 20)
        let pictures = try desk.play("image-drop", "register pics\n")
        try pictures.0.waitForOutput(containing: "registered pics\n")
        try places.type(" ")
        try places.wait(for: "→ here, row 1: nothing")
        try places.wait(for: " rows move within their table only in edit mode: press e")
        try places.type(Self.right)
        try places.wait(for: "→ pics, row 1: nothing")
        try places.wait(for: " the destination accepts none of the items; Yosemite is public.plain-text")
        try places.type(Self.right)
        try places.wait(for: "→ over nothing: nothing")
        try places.wait(for: " no destination is here: a drop puts Yosemite back")
        try places.type(Self.escape)
        try places.wait(for: "Yosemite stays")
        #expect(!places.screen.text.contains("no destination is here"))
        try quit(places)
    }

    @Test("on a terminal, the program without options prints how to use it")
    func waitingForSteps() throws {
        let desk = try TerminalDesk()
        let places = try TerminalProgram(columns: 100, "places", environment: desk.environment)
        try places.wait(for: "places: waiting for steps, one a line, such as `press 0`, `show` or `quit`") {
            $0.shellText.contains("waiting for steps, one a line, such as `press 0`, `show` or `quit`")
                && $0.shellText.contains("places: for a table with keys, run `places --interactive`")
                && $0.shellText.contains("ready")
        }
        try places.type("quit\r")
        #expect(try places.finish() == .exited(0))
    }

    @Test("the help names the options of the table with keys", arguments: [["--help"], ["--interactive", "--help"]])
    func help(arguments: [String]) throws {
        let desk = try TerminalDesk()
        let help = try ProcessRunner(try ProcessRunner.program("places"), arguments, environment: desk.environment)
            .finish()
        #expect(help.exitCode == 0)
        for option in ["--interactive", "--as NAME", "--slow SECONDS", "--policy permissive", "--script FILE"] {
            #expect(help.text.contains(option))
        }
        #expect(help.text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(help.text)")
    }

    @Test("keys that arrive together have the same effect as one by one")
    func atOnce() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        try places.type("\u{1B}[F ")
        try places.wait(for: "✈ Grand Canyon → here, row 9: nothing")
        try places.type("\u{1B}[He ")
        try places.wait(for: "Grand Canyon: moved")
        #expect(places.screen.lines[1...2] == [" ▸ 1 Grand Canyon", "   2 Yosemite"])
        try quit(places)
    }

    @Test("after the last row of another table is its end, however many rows it has")
    func end() throws {
        let desk = try TerminalDesk()
        let west = try desk.places("--as", "west")
        let east = try desk.places("--as", "east")
        try west.type(" " + Self.right + Self.down)
        try west.wait(for: "→ east, row 2: copy")
        try west.type("\u{1B}[F")
        try west.wait(for: "→ east, the end: copy")
        try east.wait(for: "→ the end: copy")
        #expect(east.screen.line(containing: "──▶ copy Yosemite") == 10)
        try west.type("\u{1B}[A")
        try west.wait(for: "→ east, row 2: copy")
        try west.type("\u{1B}[F ")
        try east.wait(for: "Yosemite has come")
        #expect(east.screen.lines[10] == "   10 Yosemite")
        for terminal in [west, east] { try quit(terminal) }
    }

    @Test("a very long name blocks neither program")
    func longName() throws {
        let desk = try TerminalDesk()
        let places = try desk.places()
        let name = String(repeating: "東京e\u{301}", count: 300)
        let player = try desk.play("places", "insert 0 \(name)\npress 0\nhover places 1\nwait over\nlift\n")
        try places.wait(for: "… has come")
        try places.type(Self.down)
        try places.wait(for: " ▸  2 東京")
        withExtendedLifetime(player) {}
        try quit(places)
    }

    private func quit(_ terminal: TerminalProgram) throws {
        #expect(terminal.screen.unknown.isEmpty)
        try terminal.type("q")
        #expect(try terminal.finish() == .exited(0))
        #expect(terminal.isAsBefore)
    }
}
