import TestSupport
import Testing

/// Two `image-drop` processes, and other programs with them.
@Suite(.processes) struct ImageDropProcessTests {
    @Test("A picture is copied into the frame of another program, and not beside it (S13, S33, S35, S36, S55)")
    func copy() throws {
        let desk = try Desk()
        let source = try PlayedProgram("image-drop", at: desk)
        let target = try PlayedProgram("image-drop", "--empty", at: desk)
        try target.play("register i", until: "registered i")
        #expect(try source.drag("50,50", over: "i 5,5") == "cancel")
        try source.play("hover i 50.5,50", until: "over copy")
        #expect(try source.lift() == "transferred copy")
        let heard = try target.lines(until: "end")
        #expect(
            heard == [
                "can-handle yes", "enter", "feedback 5.0,5.0 outside", "update cancel", "feedback 50.5,50.0 inside",
                "update copy", "perform 1", "feedback 50.5,50.0 inside", "conclude", "shown public.png 67", "end",
            ]
        )
        let next = try source.play("show", until: "shown")
        #expect(next == ["shown public.png 67"])
    }

    @Test("Without a picture, or in a disabled image view, no drag begins (S7, S12)")
    func nothing() throws {
        let desk = try Desk()
        let program = try PlayedProgram("image-drop", at: desk)
        let heard = try program.play("press 5,5", until: "began")
        #expect(heard == ["began nothing"])
        try program.play("enable off\npress 50,50", until: "began nothing")
        try program.play("enable on\nimage none\npress 50,50", until: "began nothing")
    }

    @Test("An image of any kind is accepted from the command line, with its own type (S21)")
    func kinds() throws {
        let desk = try Desk()
        let target = try PlayedProgram("image-drop", "--empty", at: desk)
        try target.play("register i", until: "registered i")
        try desk.directory.write("GIF89a", to: "a.gif")
        // The command line sends no points, which counts as outside of the frame.
        let drag = try desk.run("drag", "a.gif", "--to", "i")
        #expect(drag.exitCode != 0)
        let heard = try target.lines(until: "end")
        #expect(heard.contains("update cancel"))
        let source = try PlayedProgram("image-drop", "--image", desk.directory["a.gif"], at: desk)
        #expect(try source.drag("50,50", over: "i 50,50") == "copy")
        #expect(try source.lift() == "transferred copy")
        let next = try target.lines(until: "end")
        #expect(next.contains("shown com.compuserve.gif 6"))
    }
}
