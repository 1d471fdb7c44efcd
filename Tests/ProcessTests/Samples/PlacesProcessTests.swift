import TestSupport
import Testing

/// Two `places` processes, and other programs with them.
@Suite(.processes) struct PlacesProcessTests {
    nonisolated private static let parks = [
        "Yosemite", "Yellowstone", "Theodore Roosevelt", "Sequoia", "Pinnacles", "Mount Rainier", "Mammoth Cave",
        "Great Basin", "Grand Canyon",
    ]

    private func inserted(_ name: String, at row: Int) -> [String] {
        Array(Self.parks[..<row]) + [name] + Self.parks[row...]
    }

    @Test(
        "A row dragged to another program is copied to the drop location, and made there (S16, S29, S42, S46, S47, S53, S76, S77, S79)"
    )
    func copy() throws {
        let desk = try Desk()
        let (source, target) = (try PlayedProgram("places", at: desk), try PlayedProgram("places", at: desk))
        try target.play("register b", until: "registered b")
        let held = try source.play("press 0\nhover b 2", until: "over")
        #expect(held == ["will-begin", "began 1", "over copy"])
        let offered = try target.lines(until: "update")
        #expect(offered == ["can-handle yes", "enter", "update 2 copy insert"])
        let dropped = try source.play("lift", until: "outcome")
        // The ask may be printed at any time during the drop.
        #expect(dropped.contains("asked Yosemite"))
        #expect(
            dropped.filter { !$0.hasPrefix("asked") }
                == ["did-end", "lifted copy", "transferred", "outcome transferred copy"]
        )
        let taken = try target.lines(until: "end")
        #expect(taken == ["perform 2 copy", "inserted 2 Yosemite", "end"])
        #expect(try target.rows() == inserted("Yosemite", at: 2))
        #expect(try source.rows() == Self.parks)
        try source.quit()
        try target.quit()
    }

    @Test("A row of the table dropped on empty space moves to the end, and stays if rows have changed")
    func rearrangeToEnd() throws {
        let desk = try Desk()
        let places = try PlayedProgram("places", at: desk)
        try places.play("edit on", until: "editing on")
        #expect(try places.drag("0", over: "here") == "move")
        #expect(try places.lift() == "transferred move")
        #expect(try places.rows() == Self.parks[1...] + ["Yosemite"])

        #expect(try places.drag("0", over: "here 4") == "move")
        try places.play("remove 5", until: "removed 5")
        #expect(try places.lift() == "cancelled")
        #expect(try places.rows().sorted() == Self.parks.filter { $0 != "Mammoth Cave" }.sorted())
    }

    @Test("The permissive policy accepts several items, in their order (S17, S30-S32, S45, S49)")
    func permissive() throws {
        let desk = try Desk()
        let source = try PlayedProgram("places", at: desk)
        let target = try PlayedProgram("places", "--policy", "permissive", at: desk)
        try target.play("register b", until: "registered b")
        try source.play("select 4\nselect 1\npress 4", until: "began 2")
        try source.play("add 0", until: "added 3")
        try source.play("hover b 1", until: "over copy")
        #expect(try source.lift() == "transferred copy")
        let heard = try target.lines(until: "end")
        #expect(
            heard.suffix(5) == [
                "perform 1 copy", "inserted 1 Yellowstone", "inserted 2 Pinnacles", "inserted 3 Yosemite", "end",
            ]
        )
        // One row of the table itself moves without editing, two do not (S30, S31).
        try target.play("press 0", until: "began 1")
        try target.play("hover here 3", until: "over move")
        try target.play("add 1", until: "added 2")
        try target.play("hover here 3", until: "over cancel")
        #expect(try target.lift() == "cancelled")
    }

    @Test("With dragging disabled no drag begins, and drops are still accepted (S1, S2)")
    func disabled() throws {
        let desk = try Desk()
        let (source, target) = (try PlayedProgram("places", at: desk), try PlayedProgram("places", at: desk))
        try target.play("register b", until: "registered b")
        let heard = try target.play("enable off\npress 0", until: "began")
        #expect(heard == ["enabled off", "began nothing"])
        #expect(try source.drag("0", over: "b 0") == "copy")
        #expect(try source.lift() == "transferred copy")
        try target.lines(until: "end")
        try target.play("enable on\npress 0", until: "began 1")
    }

    @Test("A table may be only a source, or only a destination (S3)")
    func oneWay() throws {
        let desk = try Desk()
        let giver = try PlayedProgram("places", "--only", "drag", at: desk)
        let taker = try PlayedProgram("places", "--only", "drop", at: desk)
        try giver.play("register g", until: "registered g")
        try taker.play("register t", until: "registered t")
        try taker.play("press 0", until: "began nothing")
        #expect(try giver.drag("0", over: "g 0") == "cancel")
        try giver.play("hover t 0", until: "over copy")
        #expect(try giver.lift() == "transferred copy")
        let heard = try taker.lines(until: "end")
        #expect(
            heard == [
                "can-handle yes", "enter", "update 0 copy insert", "perform 0 copy", "inserted 0 Yosemite", "end",
            ]
        )
        #expect(try giver.rows() == Self.parks)
    }

    @Test("Before the drop and after it nothing can be loaded (S16, S52)")
    func peek() throws {
        let desk = try Desk()
        let (source, target) = (try PlayedProgram("places", at: desk), try PlayedProgram("places", at: desk))
        try target.play("register b", until: "registered b")
        #expect(try source.drag("0", over: "b 0") == "copy")
        try target.play("peek", until: "peeked nothing not-loadable-now")
        #expect(try source.lift() == "transferred copy")
        try target.lines(until: "end")
        try target.play("peek", until: "peeked nothing not-loadable-now")
        #expect(try target.rows() == inserted("Yosemite", at: 0))
    }

    @Test(
        "A row dropped on the command line becomes a file, with only the bytes of its name (S8, S9, S76)",
        arguments: ["Ōsaka 大阪 🏯", "Yosemite"]
    )
    func toCommandLine(name: String) throws {
        let desk = try Desk()
        let places = try PlayedProgram("places", at: desk)
        let drop = try desk.destination(["--accept", "public.plain-text", "--once"])
        try places.play("insert 0 \(name)", until: "inserted 0")
        #expect(try places.drag("0", over: "inbox") == "copy")
        #expect(try places.lift() == "transferred copy")
        #expect(try drop.finish().exitCode == 0)
        #expect(desk.directory.names(in: "in") == ["\(name).txt"])
        #expect(try desk.directory.contents(of: "in/\(name).txt") == Array(name.utf8))
        #expect(try places.rows().first == name)
    }

    @Test("Text from the command line becomes a row (S24, S77)")
    func commandLine() throws {
        let desk = try Desk()
        let places = try PlayedProgram("places", at: desk)
        try places.play("register b", until: "registered b")
        try desk.directory.write("from a shell", to: "note.txt")
        let drag = try desk.run("drag", "-t", "public.utf8-plain-text=note.txt", "--to", "b")
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        let heard = try places.lines(until: "end")
        #expect(heard.contains("inserted 9 from a shell"))
    }

    @Test("Bytes that are not text make no row, and nothing hangs (S50, S51)")
    func noText() throws {
        let desk = try Desk()
        let places = try PlayedProgram("places", at: desk)
        try places.play("register b", until: "registered b")
        try desk.directory.write([0xFF, 0xFE, 0x80], to: "bytes")
        _ = try desk.run("drag", "-t", "public.utf8-plain-text=bytes", "--to", "b")
        try places.play("wait loaded nothing\nwait end\nsay done", until: "said done")
        #expect(try places.rows() == Self.parks)
    }
}
