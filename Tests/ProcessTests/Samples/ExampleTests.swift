import Glibc
import PasteboardTransport
import TestSupport
import Testing

/// The output of the examples and of the demo.
@Suite(.processes) struct ExampleTests {
    nonisolated private static let places = [
        ("Yosemite", "California"), ("Yellowstone", "Wyoming"), ("Theodore Roosevelt", "North Dakota"),
        ("Sequoia", "California"), ("Pinnacles", "California"), ("Mount Rainier", "Washington"),
        ("Mammoth Cave", "Kentucky"), ("Great Basin", "Nevada"), ("Grand Canyon", "Arizona"),
    ]

    private func start(_ program: String, _ arguments: String..., at desk: Desk) throws -> ProcessRunner {
        try ProcessRunner(try ProcessRunner.program(program), arguments, environment: desk.environment)
    }

    @Test("The target appends every place, and each was made when it was asked for")
    func allPlaces() throws {
        let desk = try Desk()
        let source = try start("places-source", at: desk)
        try source.waitForOutput(containing: "source: registered 9 items\n")
        let target = try start("places-target", at: desk).finish()
        let listed = (0..<9).map { "target: item \($0): public.json, public.utf8-plain-text" }
        let appended = Self.places.map { "target: appended \($0.0), \($0.1)" }
        let lines = ["target: offered 9 items"] + listed + appended + ["target: has 9 places"]
        #expect(target.text.split(separator: "\n").map(String.init) == lines)
        #expect(target.exitCode == 0 && target.errorText.isEmpty)

        try desk.copy("something else")
        let finished = try source.finish()
        let asked = finished.text.split(separator: "\n").dropFirst().dropLast().map(String.init)
        // The handlers run concurrently, so the order of their lines is undefined.
        #expect(asked.sorted() == Self.places.map { "source: asked for \($0.0)" }.sorted())
        #expect(finished.text.hasSuffix("\nsource: replaced\n") && finished.exitCode == 0)
    }

    @Test("A type that only its program knows is found by its supertypes, and its public fallback as text")
    func customType() throws {
        let desk = try Desk()
        let source = try start("custom-type-source", at: desk)
        try source.waitForOutput(containing: "sierra.route\n")
        let json = try start("custom-type-destination", "json", at: desk).finish()
        #expect(
            json.text == """
                destination: Sierra came as org.example.route, which is public.content, public.data, public.item, \
                public.json, public.text
                {"name":"Sierra","stops":["Yosemite","Sequoia","Pinnacles"]}

                """
        )
        let text = try start("custom-type-destination", "text", at: desk).finish()
        #expect(
            text.text == """
                destination: Sierra came as public.utf8-plain-text, which is public.content, public.data, \
                public.item, public.plain-text, public.text
                Yosemite
                Sequoia
                Pinnacles

                """
        )
        #expect(try desk.run("clear").exitCode == 0)
        #expect(
            try source.finish().text == """
                source: offers org.example.route, public.utf8-plain-text
                source: a file of it would be sierra.route
                source: asked for org.example.route
                source: asked for public.utf8-plain-text
                source: cleared

                """
        )
        try desk.copy("plain")
        let none = try start("custom-type-destination", "json", at: desk).finish()
        #expect(none.text == "destination: nothing here is public.json\n" && none.exitCode == 0)
    }

    @Test("A value is offered in each of its representations, and read from the best available one")
    func transferableValue() throws {
        let desk = try Desk()
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        let source = try start("transferable-value", "give", at: desk)
        try source.waitForOutput(containing: "gives 2 notes\n")
        let taken = try start("transferable-value", "take", at: desk).finish()
        #expect(
            taken.text == """
                offered as org.example.note, public.html, public.rtf, public.utf8-plain-text
                took the note Sierra: Three parks & a week.
                offered as org.example.note, public.html, public.utf8-plain-text
                took the draft Coast: To be written.

                """
        )
        let pages = try start("transferable-value", "show", "public.html", at: desk).finish()
        #expect(
            pages.text == """
                public.html: <h1>Sierra</h1><p>Three parks &amp; a week.</p>
                public.html: <h1>Coast</h1><p>To be written.</p>

                """
        )
        let richTexts = try start("transferable-value", "show", "public.rtf", at: desk).finish()
        #expect(
            richTexts.text == """
                public.rtf: {\\rtf1\\ansi{\\b Sierra}\\par Three parks & a week.\\par}
                not to be had as public.rtf

                """
        )
        #expect(try desk.run("paste", "-t", "public.plain-text").text == "Sierra")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try source.finish().text == "gives 2 notes\ncleared\n")
        // The files of the pages existed only while the notes were offered.
        #expect(try desk.shell("ls t").text.isEmpty)
    }

    @Test("The README's destination loads what its source made")
    func hello() throws {
        let desk = try Desk()
        let source = try start("hello-source", at: desk)
        defer { withExtendedLifetime(source) {} }
        // The program prints nothing before its end, so the test watches the pasteboard.
        let listed = try desk.shell("until pasteboard types >/dev/null 2>&1; do :; done; pasteboard types")
        #expect(listed.text.contains("public.utf8-plain-text"))
        let destination = try start("hello-destination", at: desk).finish()
        #expect(destination.text == "greeting says: made when asked\n")
        #expect(try desk.run("clear").exitCode == 0)
        #expect(try source.finish().text == "ended: cleared\n")
        let killed = try start("hello-source", at: desk)
        _ = try desk.shell("until pasteboard types >/dev/null 2>&1; do :; done")
        try killed.child.kill(SIGKILL)
        _ = try killed.finish()
        let gone = try start("hello-destination", at: desk).finish()
        #expect(gone.text.hasPrefix("not loaded: source \"hello-source\" (pid ") && gone.exitCode == 1)
        #expect(try desk.run("clear").exitCode == 0)
        let nothing = try start("hello-destination", at: desk).finish()
        #expect(nothing.text == "nothing is on the pasteboard\n")
        #expect(nothing.exitCode == 0)
    }

    @Test(
        "Without a broker program the README's programs print how to install one, and fail",
        arguments: ["hello-source", "hello-drop", "hello-drag", "hello-destination"]
    )
    func helloWithoutBroker(program: String) throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_BROKER"] = "/no/such/program"
        let failed = try start(program, at: desk).finish()
        #expect(failed.exitCode == 1)
        #expect(failed.text.split(separator: "\n").count == 1)
        #expect(failed.text.contains("PASTEBOARD_BROKER is '/no/such/program'"))
    }

    @Test("The README's drag is dropped on the desk")
    func helloDrag() throws {
        let desk = try Desk()
        // Its output is a pipe, which standard output would buffer.
        let destination = try ProcessRunner(
            "/usr/bin/stdbuf",
            ["-oL", try ProcessRunner.program("hello-drop")],
            environment: desk.environment
        )
        _ = try desk.shell("until pasteboard drop --list 2>/dev/null | grep -q desk; do :; done")
        let drag = try start("hello-drag", at: desk).finish()
        #expect(drag.text == "desk would: copy\noutcome: transferred(copy)\n")
        #expect(try destination.nextLine() == "dropped: Yosemite")
        // The directory exists as long as this value.
        let empty = try Desk()
        let missed = try withExtendedLifetime(empty) { try start("hello-drag", at: empty).finish() }
        #expect(missed.text == "not dropped: there is no destination desk\n")
        #expect(missed.exitCode == 1)
    }

    @Test("The demo shows a promise, a load and a dead source in order, and leaves nothing running")
    func demo() throws {
        let desk = try Desk()
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        let demo = try desk.run("demo")
        #expect(demo.exitCode == 0, "\(demo.errorText)")
        let marks = [
            "listens for programs", "as plain text or as JSON", "sees 1 item", "it was not produced",
            "requests the greeting as text", "receives a request for public.utf8-plain-text", "received 3",
            "was killed",
            "requests the greeting as text", "received an error",
        ]
        let lines = demo.text.split(separator: "\n")
        #expect(lines.count == marks.count)
        for (line, mark) in zip(lines, marks) { #expect(line.contains(mark), "\(line)") }
        #expect(demo.text.contains("source-gone"))
        #expect(try desk.shell("ls t").text.isEmpty)
    }
}
