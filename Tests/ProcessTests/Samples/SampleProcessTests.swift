import TestSupport
import Testing

/// The samples by their scripts, and in two processes.
@Suite(.processes) struct SampleProcessTests {
    private func play(_ script: String, at desk: Desk) throws -> ProcessRunner.Finished {
        try ProcessRunner(
            try ProcessRunner.program("places"),
            ["--script", script],
            environment: desk.environment,
            directory: desk.directory.path
        ).finish()
    }

    @Test("The page of the examples lists each step, and so does the error for an unknown one")
    func steps() throws {
        let desk = try Desk()
        try desk.directory.write("leave b", to: "script")
        let error = try play("script", at: desk).errorText
        let beginning = "places: line 1: there is no step `leave`; there are: "
        #expect(error.hasPrefix(beginning))
        let known = error.dropFirst(beginning.count).split(whereSeparator: { ", \n".contains($0) }).map(String.init)
        let listed = try Document("Examples/README.md").table("step").dropFirst().flatMap { row in
            row[0].split(separator: ", ").map { String($0.prefix { $0 != " " }) }
        }
        #expect(Set(listed) == Set(known))
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
}
