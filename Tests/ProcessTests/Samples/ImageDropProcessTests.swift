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

    @Test("A drop beside the frame has no effect (S35, S37)")
    func outside() throws {
        let desk = try Desk()
        let source = try PlayedProgram("image-drop", at: desk)
        let target = try PlayedProgram("image-drop", "--empty", at: desk)
        try target.play("register i", until: "registered i")
        #expect(try source.drag("50,50", over: "i 5,5") == "cancel")
        let heard = try source.play("lift", until: "outcome")
        #expect(
            heard
                == ["will-end cancel", "did-end cancel", "lifted cancel", "outcome cancelled"]
        )
        try target.lines(until: "end")
        let next = try target.play("show", until: "shown")
        #expect(next == ["shown nothing"])
    }

    @Test("Two pictures are refused, also when the second is added later, and so is text (S20)")
    func refused() throws {
        let desk = try Desk()
        let source = try PlayedProgram("image-drop", "--views", "left,right", at: desk)
        let target = try PlayedProgram("image-drop", at: desk)
        let places = try PlayedProgram("places", at: desk)
        try target.play("register i", until: "registered i")
        #expect(try places.drag("0", over: "i 50,50") == "cancel")
        let heard = try target.play("show", until: "shown")
        #expect(heard == ["can-handle no", "shown public.png 67"])
        try places.play("cancel", until: "outcome cancelled")

        #expect(try source.drag("left 50,50", over: "i 50,50") == "copy")
        try source.play("add right 50,50", until: "added 2")
        try target.lines(until: "can-handle no")
        try source.play("hover i 51,51", until: "over cancel")
        #expect(try source.lift() == "cancelled")
        // It had entered while the session had one item.
        try target.lines(until: "end")
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

    @Test("A disabled image view starts no drags, and still accepts drops through the surrounding view (S7)")
    func disabled() throws {
        let desk = try Desk()
        let source = try PlayedProgram("image-drop", at: desk)
        let target = try PlayedProgram("image-drop", "--empty", at: desk)
        try target.play("register i\nenable off", until: "enabled off")
        #expect(try source.drag("50,50", over: "i 50,50") == "copy")
        #expect(try source.lift() == "transferred copy")
        let heard = try target.lines(until: "end")
        #expect(heard.contains("shown public.png 67"))
        try target.play("press 50,50", until: "began nothing")
        try target.play("enable on\npress 50,50", until: "began 1")
    }

    @Test("Within the program a picture moves: it leaves its source, unless that is also the destination (S34, S56)")
    func move() throws {
        let desk = try Desk()
        let program = try PlayedProgram("image-drop", "--views", "left,right", at: desk)
        try program.play("register x", until: "registered x-right")
        #expect(try program.drag("left 50,50", over: "x-right 50,50") == "move")
        let lines = try program.play("lift\nwait outcome\nwait end right", until: "outcome")
        #expect(lines.contains("will-end left move") && lines.contains("shown left nothing"))
        #expect(try program.drag("right 50,50", over: "here 50,50") == "move")
        try program.play("lift", until: "outcome transferred move")
        try program.play("show", until: "shown left nothing")
        let heard = try program.lines(until: "shown right")
        #expect(heard == ["shown right public.png 67"])
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
