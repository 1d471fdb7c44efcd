import TestSupport
import Testing

/// The reading of scripts by the programs.
@Suite(.processes) struct ScriptTests {
    private func run(_ program: String, _ arguments: [String] = [], at desk: Desk) throws -> ProcessRunner.Finished {
        try ProcessRunner(
            try ProcessRunner.program(program),
            arguments,
            environment: desk.environment,
            directory: desk.directory.path
        ).finish()
    }

    @Test(
        "A script can be a file, and the program ends with it",
        arguments: ["places", "cat-toys", "placeholders"]
    )
    func file(program: String) throws {
        let desk = try Desk()
        try desk.directory.write("# nothing yet\n\nedit on\n  edit off\n", to: "script")
        let finished = try run(program, ["--script", "script"], at: desk)
        #expect(finished.text == "ready\nediting on\nediting off\nquit\n")
        #expect(finished.exitCode == 0 && finished.errorText.isEmpty)
    }

    @Test("Waiting for a line finds it wherever it was printed, and each line once")
    func wait() throws {
        let desk = try Desk()
        try desk.directory.write(
            "edit on\nedit off\nedit on\nwait editing off\nwait editing on\nwait editing on\nshow",
            to: "script"
        )
        #expect(try run("places", ["--script", "script"], at: desk).text.hasSuffix("row 8 Grand Canyon\nquit\n"))
    }

    @Test("A wrong line ends the program, and the error has its location and the right form")
    func wrongLine() throws {
        let desk = try Desk()
        try desk.directory.write("edit on\nhover\nshow\n", to: "script")
        let finished = try run("places", ["--script", "script"], at: desk)
        #expect(finished.exitCode == 2 && finished.text == "ready\nediting on\n")
        #expect(
            finished.errorText
                == "places: line 2: `hover` is not of the form `hover DESTINATION [ROW | X,Y] | here [ROW | X,Y] | nowhere`\n"
        )
    }

    @Test(
        "A step that does not apply to the program is a wrong line",
        arguments: [
            ("places", "image none"), ("image-drop", "press 1"), ("image-drop", "edit on"), ("cat-toys", "press 0"),
            ("cat-toys", "release ball"), ("placeholders", "press attic 0"), ("places", "press Tama 0"),
        ]
    )
    func nothingToDo(program: String, line: String) throws {
        let desk = try Desk()
        try desk.directory.write(line, to: "script")
        let finished = try run(program, ["--script", "script"], at: desk)
        #expect(finished.exitCode == 2 && finished.errorText.hasPrefix("\(program): line 1: "), "\(finished.errorText)")
    }

    @Test("A step that is not possible now prints a line, and the script continues")
    func failed() throws {
        let desk = try Desk()
        try desk.directory.write(
            "lift\nhover b\npress 99\npress 0\nhover nobody 1\npress 1\nlift\nwait outcome",
            to: "script"
        )
        let lines = try run("places", ["--script", "script"], at: desk).text.split(separator: "\n")
        #expect(
            lines.map { $0.prefix { $0 != ":" } } == [
                "ready", "failed nothing-here", "failed nothing-here", "began nothing", "will-begin", "began 1",
                "failed nothing-here", "failed refused", "did-end", "lifted cancel", "outcome cancelled", "quit",
            ]
        )
    }

    @Test("Every wait has a timeout")
    func timeout() throws {
        let desk = try Desk()
        try desk.directory.write("wait outcome\nseek nobody\nsay on", to: "script")
        let lines = try run("places", ["--script", "script", "--timeout", "1"], at: desk).text.split(separator: "\n")
        #expect(
            lines == [
                "ready", "failed timeout: no line that begins with `outcome` has come for 1 s",
                "failed timeout: there has been no destination nobody for 1 s", "said on", "quit",
            ]
        )
    }

    @Test(
        "--help prints the command line of the program",
        arguments: ["places", "image-drop", "cat-toys", "placeholders"]
    )
    func help(program: String) throws {
        let finished = try run(program, ["--help"], at: try Desk())
        #expect(finished.exitCode == 0 && finished.text.hasPrefix("usage: \(program) [--"))
    }

    @Test("A picture that cannot be read is reported with a message")
    func picture() throws {
        let desk = try Desk()
        let finished = try run("image-drop", ["--image", "missing.png"], at: desk)
        #expect(finished.exitCode == 2)
        #expect(
            finished.errorText.hasPrefix(
                "image-drop: the image missing.png cannot be read: No such file or directory\n"
            )
        )
    }

    @Test("A script that ends after the drop still serves its loads; `quit` does not wait")
    func end() throws {
        let desk = try Desk()
        let target = try PlayedProgram("places", at: desk)
        try target.play("register b", until: "registered b")
        try desk.directory.write("press 0\nhover b 0\nlift", to: "script")
        let given = try run("places", ["--script", "script"], at: desk)
        #expect(given.text.hasSuffix("\noutcome transferred copy\nquit\n"))
        let taken = try target.lines(until: "end")
        #expect(taken.contains("inserted 0 Yosemite"))
        try desk.directory.write("press 1\nhover b 0\nquit", to: "script")
        let left = try run("places", ["--script", "script"], at: desk)
        #expect(left.text.hasSuffix("\nover copy\nquit\n"))
        let heard = try target.lines(until: "end")
        #expect(heard == ["can-handle yes", "enter", "update 0 copy insert", "exit", "end"])
    }

    @Test(
        "The error for a wrong command line contains the right one",
        arguments: [
            ["--polciy"], ["--policy"], ["--policy", "lenient"], ["--script"], ["--script", "missing"],
            ["--script", "."], ["here"], ["--tables", ""], ["--tables", "a,,b"], ["--tables", "a,a"],
            ["--tables", "a b"], ["--tables", "2,3"], ["--timeout", "0"], ["--timeout", "long"],
        ]
    )
    func usage(arguments: [String]) throws {
        let finished = try run("places", arguments, at: try Desk())
        #expect(finished.exitCode == 2 && finished.text.isEmpty)
        #expect(finished.errorText.contains("\nusage: places [--policy strict|permissive]"), "\(finished.errorText)")
    }
}
