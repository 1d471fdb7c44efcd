import PasteboardTransport
import TestSupport
import Testing

/// The table with keys in two terminals.
@Suite("Places in terminals", .processes)
struct InteractivePlacesTests {
    private static let down = "\u{1B}[B"
    private static let right = "\u{1B}[C"

    private let desk: Desk
    private let broker: ProcessRunner

    init() throws {
        desk = try Desk()
        desk.environment["TERM"] = "xterm"
        desk.environment["LC_ALL"] = "C.UTF-8"
        broker = try desk.serve()
    }

    /// Starts `places` in a terminal and waits until it is ready.
    private func places(_ arguments: String...) throws -> TerminalProgram {
        let terminal = try TerminalProgram(
            "places",
            ["--interactive", "--as"] + arguments,
            environment: desk.environment
        )
        try terminal.wait(for: "others can drop")
        return terminal
    }

    private func quit(_ terminal: TerminalProgram) throws {
        #expect(terminal.screen.unknown.isEmpty)
        try terminal.type("q")
        #expect(try terminal.finish() == .exited(0))
        #expect(terminal.isAsBefore)
    }

    @Test("A row is picked up in one program and dropped in the other, and both show each step")
    func copy() throws {
        let (west, east) = (try places("west"), try places("east"))
        try west.type(Self.down + " ")
        try west.wait(for: "✈ Yellowstone → here, row 2: nothing")
        #expect(west.screen.text.contains("2 Yellowstone ✈  ◀── nothing"))

        // The names of the targets follow each other: east, west itself, none.
        try west.type(Self.right)
        try west.wait(for: "✈ Yellowstone → east, row 1: copy")
        try east.wait(for: "✈ Yellowstone from another program → row 1: copy")
        #expect(east.screen.lines[1].hasPrefix(" ──▶ copy Yellowstone ──"))
        try west.type(Self.down + Self.down)
        try west.wait(for: "✈ Yellowstone → east, row 3: copy")
        try east.wait(for: "→ row 3: copy")
        #expect(east.screen.lines[2] == "   2 Yellowstone" && east.screen.lines[4] == "   3 Theodore Roosevelt")

        try west.type(" ")
        try east.wait(for: "Yellowstone has come")
        #expect(east.screen.lines[3...4] == ["    3 Yellowstone", "    4 Theodore Roosevelt"])
        #expect(east.screen.lines[10] == "   10 Grand Canyon" && !east.screen.text.contains("✈"))
        try west.wait(for: "Yellowstone: copied")
        #expect(west.screen.lines[2] == " ▸ 2 Yellowstone" && !west.screen.text.contains("✈"))
        for terminal in [west, east] { try quit(terminal) }
    }

    @Test("The death of a source is shown in the other terminal, and its row does not arrive")
    func death() throws {
        let (west, east) = (try places("west", "--slow", "600"), try places("east"))
        try west.type(" " + Self.right)
        try west.wait(for: "→ east, row 1: copy")
        try west.type(" ")
        try east.wait(for: "Yosemite comes")
        try west.child.kill(9)
        try east.wait(for: "Yosemite does not come")
        #expect(east.screen.lines[1].hasSuffix("1 Yosemite") && east.screen.lines[2].hasSuffix("2 Yellowstone"))
        try quit(east)
    }
}
