import TestSupport
import Testing

/// The examples and the demo, as they print.
@ProcessTesting @Suite(.serialized, .timeLimit(.minutes(5))) struct ExampleTests {
    nonisolated private static let places = [
        "Yosemite", "Yellowstone", "Theodore Roosevelt", "Sequoia", "Pinnacles", "Mount Rainier", "Mammoth Cave",
        "Great Basin", "Grand Canyon",
    ]

    private func start(_ program: String, _ arguments: String..., at desk: Desk) throws -> ProcessRunner {
        try ProcessRunner(try ProcessRunner.program(program), arguments, environment: desk.environment)
    }

    @Test("The target appends every place, and each was made when it was asked for")
    func allPlaces() throws {
        let desk = try Desk()
        let source = try self.start("places-source", at: desk)
        try source.waitForOutput(containing: "source: registered 9 items\n")
        let target = try self.start("places-target", at: desk).finish()
        let listed = (0..<9).map { "target: item \($0): public.plain-text" }
        let appended = Self.places.map { "target: appended \($0)" }
        let lines = ["target: offered 9 items"] + listed + appended + ["target: has 9 places"]
        #expect(target.text.split(separator: "\n").map(String.init) == lines)
        #expect(target.exitCode == 0 && target.errorText.isEmpty)

        try desk.copy("something else")
        let finished = try source.finish()
        let asked = finished.text.split(separator: "\n").dropFirst().dropLast().map(String.init)
        // The handlers run at once, so their order is their own.
        #expect(asked.sorted() == Self.places.map { "source: asked for \($0)" }.sorted())
        #expect(finished.text.hasSuffix("\nsource: replaced\n") && finished.exitCode == 0)
    }

    @Test("One place is asked for alone, and one that is not there is an error")
    func onePlace() throws {
        let desk = try Desk()
        let source = try self.start("places-source", "--board", "parks", at: desk)
        try source.waitForOutput(containing: "registered")
        let target = try self.start("places-target", "--board", "parks", "3", at: desk).finish()
        #expect(target.text.hasSuffix("target: appended Sequoia\ntarget: has 1 places\n"))
        #expect(try self.start("places-target", "--board", "parks", "9", at: desk).finish().exitCode == 1)
        #expect(try desk.run("clear", "--board", "parks").exitCode == 0)
        #expect(
            try source.finish().text == "source: registered 9 items\nsource: asked for Sequoia\nsource: cleared\n"
        )
    }

    @Test("The README's destination loads what its source made")
    func hello() throws {
        let desk = try Desk()
        let source = try self.start("hello-source", at: desk)
        defer { withExtendedLifetime(source) {} }
        // It says nothing before its end: what it offers is seen on the pasteboard.
        let listed = try desk.shell("until pasteboard types >/dev/null 2>&1; do :; done; pasteboard types")
        #expect(listed.text.contains("public.utf8-plain-text"))
        let destination = try self.start("hello-destination", at: desk).finish()
        #expect(destination.text == "public.utf8-plain-text made when asked\n")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try source.finish().text == "ended: cleared\n")
    }

    @Test("The demo tells a promise, a load and a dead source in order, and leaves nothing behind")
    func demo() throws {
        let desk = try Desk()
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        let demo = try desk.run("demo")
        #expect(demo.exitCode == 0, "\(demo.errorText)")
        let marks = [
            "listens at", "has registered", "1 item", "can be had as", "0 times", "asks for", "the handler runs",
            "got 3", "SIGKILL", "asks for", "failed in",
        ]
        let lines = demo.text.split(separator: "\n")
        #expect(lines.count == marks.count)
        for (line, mark) in zip(lines, marks) { #expect(line.contains(mark), "\(line)") }
        #expect(demo.text.contains("source-gone"))
        #expect(try desk.shell("ls t").text.isEmpty)
    }
}
