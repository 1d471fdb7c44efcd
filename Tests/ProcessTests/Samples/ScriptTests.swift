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

    @Test("A picture that cannot be read and a cat that does not exist are reported with a message")
    func values() throws {
        let desk = try Desk()
        let picture = try run("image-drop", ["--image", "missing.png"], at: desk)
        let reason = "the image missing.png cannot be read: No such file or directory\n"
        #expect(picture.exitCode == 2 && picture.errorText.hasPrefix("image-drop: \(reason)"))
        let cat = try run("cat-toys", ["--orphan", "Rex"], at: desk)
        #expect(cat.exitCode == 2 && cat.errorText.hasPrefix("cat-toys: there is no cat Rex; there are Tama"))
    }

    @Test("Each sample has a script on the page of the examples that prints the output below it")
    func page() throws {
        let page = try Document("Examples/README.md")
        let scripts = page.blocks("sh")
        let outputs = page.blocks("text")
        #expect(scripts.count == outputs.count)
        let programs = ["places", "image-drop", "cat-toys", "placeholders"]
        #expect(scripts.count == programs.count)
        let build = try ProcessRunner.program("")
        for (program, (script, output)) in zip(programs, zip(scripts, outputs)) {
            let desk = try Desk()
            let shell = try desk.shell("mkdir .build && ln -s '\(build)' .build/debug")
            #expect(shell.exitCode == 0, "\(shell.errorText)")
            #expect(script.hasPrefix(".build/debug/\(program) "))
            let played = try desk.shell(script)
            #expect(played.text == output)
            #expect(played.exitCode == 0 && played.errorText.isEmpty, "\(played.errorText)")
        }
    }
}
