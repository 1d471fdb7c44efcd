import TestSupport
import Testing

/// The samples in two processes, and in one where a second table or program takes part.
@Suite(.processes) struct SampleProcessTests {
    // MARK: Places and pictures

    @Test("A row becomes a file of the command line with only the bytes of its name, and a file becomes a row")
    func commandLine() throws {
        let desk = try Desk()
        let places = try PlayedProgram("places", at: desk)
        let drop = try desk.destination(["--accept", "public.plain-text", "--once"])
        let name = "Ōsaka 大阪 🏯"
        try places.play("insert 0 \(name)", until: "inserted 0")
        #expect(try places.drag("0", over: "inbox") == "copy")
        #expect(try places.lift() == "transferred copy")
        #expect(try drop.finish().exitCode == 0)
        #expect(try desk.directory.contents(of: "in/\(name).txt") == Array(name.utf8))

        try places.play("register b", until: "registered b")
        let drag = try desk.run("drag", "-t", "public.utf8-plain-text=in/\(name).txt", "--to", "b")
        #expect(drag.exitCode == 0, "\(drag.errorText)")
        #expect(try places.lines(until: "end").contains("inserted 10 \(name)"))
    }

    @Test("A picture of any kind is copied into the frame of another program, and not beside it")
    func picture() throws {
        let desk = try Desk()
        try desk.directory.write("GIF89a", to: "a.gif")
        let source = try PlayedProgram("image-drop", "--image", desk.directory["a.gif"], at: desk)
        let target = try PlayedProgram("image-drop", "--empty", at: desk)
        try target.play("register i", until: "registered i")
        #expect(try source.drag("50,50", over: "i 5,5") == "cancel")
        try source.play("hover i 50.5,50", until: "over copy")
        #expect(try source.lift() == "transferred copy")
        let heard = try target.lines(until: "end")
        #expect(
            heard == [
                "can-handle yes", "enter", "feedback 5.0,5.0 outside", "update cancel", "feedback 50.5,50.0 inside",
                "update copy", "perform 1", "feedback 50.5,50.0 inside", "conclude", "shown com.compuserve.gif 6",
                "end",
            ]
        )
        let next = try source.play("show", until: "shown")
        #expect(next == ["shown com.compuserve.gif 6"])
    }

    // MARK: Cat toys

    private func toys(_ programs: PlayedProgram...) throws -> [String] {
        try programs.flatMap { program in
            try ["Tama", "Mike", "Kuro"].flatMap { try program.rows($0) }
        }
    }

    @Test("The first of several toys changes its owner, and the others stay (S68)", arguments: ["h", "me"])
    func several(target: String) throws {
        let desk = try Desk()
        let source = try PlayedProgram("cat-toys", at: desk)
        let other = try PlayedProgram("cat-toys", at: desk)
        try other.play("register h", until: "registered h-Kuro")
        try source.play("register me", until: "registered me-Kuro")
        try source.play("select Tama 2\nselect Tama 1\npress Tama 1\nhover \(target)-Kuro", until: "over move")
        // The move as a whole has failed, because only one toy was taken.
        #expect(try source.lift() == "failed refused")
        if target == "h" { try source.play("wait left Tama mouse\nsay done", until: "said done") }
        let house = target == "me" ? source : other
        #expect(try source.rows("Tama") == ["ball", "feather"])
        #expect(try house.rows("Kuro") == ["box", "mouse"])
    }

    @Test("A toy that may not leave its process stays, because a move is refused")
    func keep() throws {
        let desk = try Desk()
        let source = try PlayedProgram("cat-toys", "--keep", at: desk)
        let target = try PlayedProgram("cat-toys", at: desk)
        try target.play("register h", until: "registered h-Kuro")
        let before = try toys(source, target)
        #expect(try source.drag("Tama 0", over: "h-Kuro") == "cancel")
        #expect(try source.lift() == "cancelled")
        #expect(!(try target.lines(until: "end")).contains { $0.hasPrefix("perform") })
        #expect(try toys(source, target) == before)
    }

    @Test("A toy dropped on a cat without an owner is lost there, and stays in place (S72)", arguments: ["h", "me"])
    func orphan(target: String) throws {
        let desk = try Desk()
        let house = try PlayedProgram("cat-toys", "--orphan", "Kuro", at: desk)
        let other = try PlayedProgram("cat-toys", "--orphan", "Kuro", at: desk)
        try other.play("register h", until: "registered h-Kuro")
        try house.play("register me", until: "registered me-Kuro")
        let before = try toys(house, other)
        #expect(try house.drag("Tama 1", over: "\(target)-Kuro") == "move")
        let lines = try house.play("lift\nwait outcome failed refused\nsay over", until: "said over")
        #expect(!lines.contains { $0.hasPrefix("left") || $0.hasPrefix("moved") })
        try (target == "h" ? other : house).play("say then", until: "said then")
        #expect(try toys(house, other) == before)
    }

    // MARK: Placeholders

    private func pair(_ van: String) throws -> (desk: Desk, source: PlayedProgram, target: PlayedProgram) {
        let desk = try Desk()
        let source = try PlayedProgram("placeholders", "--van", van, at: desk)
        let target = try PlayedProgram("placeholders", at: desk)
        try target.play("register h", until: "registered h-shelf")
        return (desk, source, target)
    }

    @Test("Items arrive at their own time, each in its row, with their progress; those that fail leave no row")
    func arrivals() throws {
        let (desk, source, target) = try pair("letter,slow crate,failing vase,slow lamp,book")
        defer { withExtendedLifetime(desk) {} }
        try source.play("press van 0\nadd van 1\nadd van 2\nadd van 3\nadd van 4", until: "added 5")
        try source.play(
            "hover h-shelf\nlift\nwait asked crate\nwait asked lamp\nadvance 40 crate\nsay so",
            until: "said so"
        )
        try target.play("wait progress shelf 40 crate\nwait committed\nwait committed\nsay so", until: "said so")
        try source.play("break lamp\nsay so", until: "said so")
        try target.play(
            "wait deleted shelf vase source-failed\nwait deleted shelf lamp source-failed\nsay so",
            until: "said so"
        )
        #expect(try target.rows("shelf") == ["letter", "waiting for crate", "book"])
        // One load has failed, and the session with it; other loads continue.
        try source.play("release crate", until: "outcome failed source-failed")
        try target.play("wait committed\nwait end shelf\nsay done", until: "said done")
        #expect(try target.rows("shelf") == ["letter", "crate", "book"])
    }

    @Test(
        "Rows of the table precede added rows of another one, wherever they are dropped",
        arguments: [1, 3]
    )
    func mixed(row: Int) throws {
        let desk = try Desk()
        let program = try PlayedProgram("placeholders", "--van", "x", at: desk)
        try program.play("insert shelf 0 a\ninsert shelf 1 b\ninsert shelf 2 c", until: "inserted shelf 2 c")
        try program.play("press shelf 2\nadd van 0\nadd shelf 0", until: "added 3")
        try program.play("hover here \(row)", until: "over move")
        #expect(try program.lift() == "transferred move")
        #expect(try program.rows("shelf") == (row == 1 ? ["c", "a", "x", "b"] : ["b", "c", "a", "x"]))
    }

    @Test("A load cancelled by the destination removes its placeholder, and the source is notified")
    func stopped() throws {
        let (desk, source, target) = try pair("slow crate,letter")
        defer { withExtendedLifetime(desk) {} }
        try source.play("press van 0\nadd van 1", until: "added 2")
        try source.play("hover h-shelf", until: "over copy")
        try source.play("lift", until: "asked crate")
        try target.lines(until: "committed shelf 0 letter")
        try target.play("stop letter", until: "stopped nothing")
        try target.play("stop crate\nwait deleted shelf crate cancelled\nwait end shelf\nsay done", until: "said done")
        try source.lines(until: "abandoned crate")
        #expect(try target.rows("shelf") == ["letter"])
    }

    @Test("A reload removes a placeholder, and what arrives for it afterwards is gone")
    func reload() throws {
        let (desk, source, target) = try pair("slow box")
        defer { withExtendedLifetime(desk) {} }
        #expect(try source.drag("van 0", over: "h-shelf") == "copy")
        try source.play("lift", until: "asked box")
        try target.play("wait waiting\nreload", until: "reloaded")
        #expect(try target.rows("shelf").isEmpty)
        try source.play("release box", until: "outcome")
        try target.lines(until: "gone shelf box")
        #expect(try target.rows("shelf").isEmpty)
    }
}
