import Glibc
import TestSupport
import Testing

/// `placeholders` in one process and in two.
@Suite(.processes) struct PlaceholdersProcessTests {
    private func pair(
        _ van: String = "letter,slow crate,failing vase,book"
    ) throws -> (
        desk: Desk, source: PlayedProgram, target: PlayedProgram
    ) {
        let desk = try Desk()
        let source = try PlayedProgram("placeholders", "--van", van, at: desk)
        let target = try PlayedProgram("placeholders", at: desk)
        try target.play("register h", until: "registered h-shelf")
        return (desk, source, target)
    }

    @Test("Items arrive at their own time, each in its row; one that fails leaves no row (S50, S59)")
    func between() throws {
        let (desk, source, target) = try pair()
        defer { withExtendedLifetime(desk) {} }
        try source.play("press van 0\nadd van 1\nadd van 2\nadd van 3", until: "added 4")
        try source.play("hover h-shelf", until: "over copy")
        try source.play("lift", until: "asked crate")
        let lines = try target.play("wait committed\nwait committed\nwait deleted\nshow", until: "row shelf 2")
        #expect(lines.contains("deleted shelf vase source-failed"))
        #expect(
            lines.suffix(4) == [
                "rows shelf 3", "row shelf 0 letter", "row shelf 1 waiting for crate", "row shelf 2 book",
            ]
        )
        try source.play("release crate", until: "outcome failed source-failed")
        // One load has failed, and the session with it; other loads continue.
        try target.play("wait committed\nwait end shelf\nsay done", until: "said done")
        #expect(try target.rows("shelf") == ["letter", "crate", "book"])
    }

    @Test("A slow parcel reports its progress, and may still fail")
    func progress() throws {
        let (desk, source, target) = try pair("slow crate,slow vase")
        defer { withExtendedLifetime(desk) {} }
        try source.play("press van 0\nadd van 1", until: "added 2")
        try source.play(
            "hover h-shelf\nlift\nwait asked crate\nwait asked vase\nadvance 40 crate\nsay so",
            until: "said so"
        )
        try target.lines(until: "progress shelf 40 crate")
        try source.play("advance 70 crate\nbreak vase\nsay so", until: "said so")
        try target.play("wait progress shelf 70 crate\nwait deleted shelf vase source-failed\nsay so", until: "said so")
        #expect(try target.rows("shelf") == ["waiting for crate"])
        try source.play("release crate", until: "outcome failed source-failed")
        try target.play("wait committed shelf 0 crate\nwait end\nsay done", until: "said done")
        #expect(try target.rows("shelf") == ["crate"])
    }

    @Test(
        "Rows of the table precede added rows of another one, wherever they are dropped (S60)",
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

    @Test("Rows that change in the meantime do not matter, and a reload removes the placeholder")
    func changes() throws {
        let (desk, source, target) = try pair("slow crate,slow box")
        defer { withExtendedLifetime(desk) {} }
        try target.play("insert shelf 0 a\ninsert shelf 1 b", until: "inserted shelf 1 b")
        #expect(try source.drag("van 0", over: "h-shelf 1") == "copy")
        try source.play("lift", until: "asked crate")
        try target.play("wait waiting\ninsert shelf 0 c\nremove shelf 1", until: "removed shelf 1 a")
        #expect(try target.rows("shelf") == ["c", "waiting for crate", "b"])
        try source.play("release crate", until: "outcome transferred copy")
        try target.lines(until: "committed shelf 1 crate")
        #expect(try target.rows("shelf") == ["c", "crate", "b"])

        #expect(try source.drag("van 1", over: "h-shelf 1") == "copy")
        try source.play("lift", until: "asked box")
        try target.play("wait waiting\nreload", until: "reloaded")
        #expect(try target.rows("shelf") == ["c", "crate", "b"])
        try source.play("release box", until: "outcome")
        try target.lines(until: "gone shelf box")
        #expect(try target.rows("shelf") == ["c", "crate", "b"])
    }
}
