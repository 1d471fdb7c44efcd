import TestSupport
import Testing

/// The scripts on the page of the examples, with their output.
@Suite(.processes) struct SampleScriptTests {
    @Test("Each sample has a script on its page that prints the output below it")
    func scripts() throws {
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
