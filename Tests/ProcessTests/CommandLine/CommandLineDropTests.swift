import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard drop`: a directory as a drop destination.
@Suite(.processes) struct CommandLineDropTests {
    private let desk: Desk

    init() throws {
        desk = try Desk()
    }

    @Test("Several items become several files under unused names, until the destination is interrupted")
    func several() throws {
        let bytes = Desk.bytes(3_000_001)
        _ = try desk.directory.makeDirectory("other")
        try desk.directory.write("first", to: "a.txt")
        try desk.directory.write("second", to: "other/a.txt")
        try desk.directory.write("", to: "empty.txt")
        try desk.directory.write(bytes, to: "large.bin")
        let drop = try desk.destination()
        try desk.directory.write("there already", to: "in/a.txt")
        let drag = try desk.run("drag", "a.txt", "other/a.txt", "empty.txt", "large.bin", "--to", "inbox")
        #expect(drag.exitCode == 0 && drag.errorText.isEmpty)
        #expect(drag.text == "copied 4 items to inbox\n")
        try drop.waitForErrors(containing: "copied 4 items from")
        try drop.child.kill(SIGINT)
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 130)
        #expect(
            Set(dropped.text.split(separator: "\n"))
                == ["in/a 2.txt", "in/a 3.txt", "in/empty.txt", "in/large.bin"]
        )
        #expect(dropped.errorText.hasPrefix("accepting anything as inbox into in\ncopying 4 items from pasteboard ("))
        #expect(dropped.errorText.contains("  item 4: 2.9 MiB, "))
        #expect(dropped.errorText.hasSuffix(")\n"))
        #expect(desk.directory.names(in: "in") == ["a 2.txt", "a 3.txt", "a.txt", "empty.txt", "large.bin"])
        #expect(try desk.directory.contents(of: "in/a.txt") == Array("there already".utf8))
        let texts = try ["in/a 2.txt", "in/a 3.txt"].map { try desk.directory.contents(of: $0) }
        #expect(Set(texts) == [Array("first".utf8), Array("second".utf8)])
        #expect(try desk.directory.contents(of: "in/large.bin") == bytes)
        #expect(desk.directory.names().contains("large.bin"))
    }

    @Test("More items than concurrent loads all arrive")
    func many() throws {
        let names = (0..<300).map { "f\($0).txt" }
        for name in names { try desk.directory.write(name, to: name) }
        let drop = try desk.destination(["--once"])
        let drag = try desk.shell("pasteboard drag f*.txt --to inbox")
        #expect(drag.text == "copied 300 items to inbox\n", "\(drag.errorText)")
        #expect(try drop.finish().exitCode == 0)
        #expect(desk.directory.names(in: "in") == names.sorted())
    }

    @Test("The first accepted type of each item is loaded, and an item without one is skipped")
    func types() throws {
        try desk.directory.write("text", to: "a.txt")
        try desk.directory.write("picture", to: "a.png")
        let drop = try desk.destination(["--accept", ".pdf", "--accept", "image", "--accept", "text"])
        #expect(
            try desk.run("drag", "-t", "text=a.txt", "-t", ".png=a.png", "--name", "both", "--to", "inbox").text
                == "copied 1 item to inbox\n"
        )
        try desk.directory.write("zip", to: "b.zip")
        let partial = try desk.run("drag", "a.png", "b.zip", "--to", "inbox")
        #expect(partial.text == "copied 1 of 2 items to inbox\n")
        #expect(partial.errorText.hasSuffix("pasteboard: drag: destination inbox did not accept b.zip\n"))
        try drop.waitForErrors(containing: "copied 1 of 2 items from")
        try drop.child.kill(SIGTERM)
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 143)
        #expect(dropped.text == "in/both.png\nin/a.png\n")
        #expect(dropped.errorText.hasPrefix("accepting com.adobe.pdf, public.image, public.text as inbox"))
        #expect(dropped.errorText.contains("  item 2: skipped, because it has no accepted type\n"))
        #expect(dropped.errorText.contains("copied 1 of 2 items from"))
    }

    @Test("With --once a destination ends after the first drop, but not after a session that only passed over it")
    func once() throws {
        let drop = try desk.destination(["--once"])
        let passing = try RawDragSource(at: desk)
        try passing.withdraw()
        try desk.directory.write("a", to: "a.txt")
        #expect(try desk.run("drag", "a.txt", "--to", "inbox").exitCode == 0)
        #expect(try drop.finish().exitCode == 0)
        #expect(try desk.run("drop", "--list").text.isEmpty)
    }

    @Test("Whatever name a source suggests, the file is in the directory")
    func names() throws {
        let drop = try desk.destination(["--once"])
        let source = try RawDragSource(at: desk, ["../../x\u{1B}[2J", "..", nil])
        #expect(try source.drop(at: "inbox") == .copy)
        for _ in 0..<3 { try source.peer.sendData([1], stream: try source.asked(), last: true) }
        #expect(try drop.finish().exitCode == 0)
        #expect(desk.directory.names(in: "in") == ["_.._x[2J", "pasted", "pasted 2"])
    }

    @Test("A source that dies during a load leaves no partial file, and the next drop is accepted")
    func sourceDies() throws {
        let drop = try desk.destination()
        let source = try RawDragSource(at: desk, ["whole.bin", "part.bin"])
        #expect(try source.drop(at: "inbox") == .copy)
        try source.peer.sendData([1, 2], stream: try source.asked(), last: true)
        try source.peer.sendData([3], stream: try source.asked())
        try desk.waitForFile("whole.bin")
        try desk.waitForUnnamedFile(of: drop)
        source.peer.close()
        try drop.waitForErrors(containing: "copied 1 of 2 items from raw")
        #expect(desk.directory.names(in: "in") == ["whole.bin"])
        try desk.directory.write("a", to: "a.txt")
        #expect(try desk.run("drag", "a.txt", "--to", "inbox").exitCode == 0)
        try drop.child.kill(SIGINT)
        let dropped = try drop.finish()
        #expect(dropped.text == "in/whole.bin\nin/a.txt\n")
        #expect(dropped.errorText.contains("pasteboard: drop: item 2: source \"raw\""))
    }

    @Test("A move that its source cancels has copied what had arrived, and reports it")
    func givenUp() throws {
        let drop = try desk.destination(["--once"])
        let source = try RawDragSource(at: desk, ["whole.bin", "part.bin"], allowsMove: true)
        #expect(try source.drop(at: "inbox") == .move)
        try source.peer.sendData([1, 2], stream: try source.asked(), last: true)
        try source.peer.sendData([3], stream: try source.asked())
        try desk.waitForFile("whole.bin")
        try source.withdraw()
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 5 && dropped.text == "in/whole.bin\n")
        #expect(
            dropped.errorText.hasSuffix("); the move failed, and the source keeps its files\n"),
            "\(dropped.errorText)"
        )
        #expect(dropped.errorText.contains("\ncopied 1 of 2 items from raw ("))
    }

    @Test("With --once the exit code is that of the error", arguments: [false, true])
    func failing(isWithdrawn: Bool) throws {
        let drop = try desk.destination(["--once"])
        let source = try RawDragSource(at: desk)
        #expect(try source.drop(at: "inbox") == .copy)
        let ask = try source.asked()
        if isWithdrawn {
            try source.peer.sendData([3], stream: ask)
            try desk.waitForUnnamedFile(of: drop)
            try source.withdraw()
        } else {
            try source.peer.send(Failure(.sourceFailed, "no"), stream: ask)
        }
        #expect(try drop.finish().exitCode == 5)
        #expect(desk.directory.names(in: "in").isEmpty)
    }

    @Test(
        "An interrupted or killed destination leaves no file, and the source is notified of its exit",
        arguments: [SIGINT, SIGKILL]
    )
    func ended(by signal: CInt) throws {
        let drop = try desk.destination()
        let source = try RawDragSource(at: desk, allowsMove: true)
        #expect(try source.drop(at: "inbox") == .move)
        try source.peer.sendData([3], stream: try source.asked())
        try desk.waitForUnnamedFile(of: drop)
        try drop.child.kill(signal)
        let transferred = try source.transferred()
        #expect(transferred.failure?.code == .destinationGone && transferred.items.isEmpty)
        #expect(try drop.finish().exitCode == 128 + signal)
        #expect(desk.directory.names(in: "in").isEmpty)
    }

    @Test("A write error fails the drop, and a move deletes nothing")
    func unwritable() throws {
        let drop = try desk.destination(["--once"])
        try desk.directory.write("a", to: "a.txt")
        _ = try desk.shell("rm -r in")
        let drag = try desk.run("drag", "--move", "a.txt", "--to", "inbox")
        #expect(drag.exitCode == 6)
        let text = "destination inbox did not perform the drop: item 1: cannot create a file in in"
        #expect(drag.errorText.contains(text))
        #expect(drag.errorText.hasSuffix("; nothing was deleted\n"))
        #expect(try drop.finish().exitCode == 4)
        #expect(desk.directory.names().contains("a.txt"))
    }

    @Test("The destinations are listed with their types and their processes")
    func list() throws {
        #expect(try desk.run("drop", "--list", "--json").text == "[]\n")
        let first = try desk.destination(["--accept", "text", "--accept", ".png"], name: "a b")
        let second = try desk.destination(name: "c")
        #expect(
            try desk.run("drop", "--list").text == """
                a b  pasteboard (\(first.child.id))  0 sessions  public.text public.png
                c    pasteboard (\(second.child.id))  0 sessions  anything

                """
        )
        let json = """
            [{"name":"a b","accepts":["public.text","public.png"],"process":\(first.child.id),"label":"pasteboard",\
            "sessions":0},{"name":"c","accepts":[],"process":\(second.child.id),"label":"pasteboard","sessions":0}]

            """
        #expect(try desk.run("drop", "--list", "--json").text == json)

        let source = try RawDragSource(at: desk)
        #expect(try source.drop(at: "c") == .copy)
        _ = try source.asked()
        let status = try desk.run("status").text
        #expect(status.contains("\nsessions\n  dropping") || status.contains("\nsessions\n  transferring"))
        #expect(status.contains("raw (\(getpid()))  1 item  at c  copy"))
        #expect(status.contains("  c    pasteboard (\(second.child.id))  1 session   anything\n"))
        let whole = try desk.run("status", "--json").text
        #expect(whole.contains(#""types":["public.data"],"destination":"c","operation":"copy","milliseconds":"#))
        #expect(whole.contains(#""destinations":[{"name":"a b""#))
    }

    @Test(
        "A registered name is refused, and so are arguments that contradict each other",
        arguments: [
            (["--as", "inbox"], CInt(6), "drop: destination inbox is already registered by "),
            ([], 2, "drop: missing name of the destination; write --as NAME"),
            (["--as", "a/b"], 2, "drop: a destination's name must have 1 to 255 bytes"),
            (["--as", "x", "--accept", "?"], 2, "drop: unknown type '?'"),
            (["--as", "x", "--into", "none"], 4, "drop: cannot create a file in none"),
            (["--as", "x", "--into", ""], 2, "drop: the path of --into is empty"),
            (["--list", "--once"], 2, "drop: option --list can be combined only with --json"),
            (["--as", "x", "y"], 2, "drop: unexpected argument 'y'"),
        ]
    )
    func refused(arguments: [String], code: CInt, text: String) throws {
        let drop = try desk.destination()
        let words = (["pasteboard", "drop"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let refused = try desk.shell(words)
        #expect(refused.exitCode == code && refused.errorText.hasPrefix("pasteboard: \(text)"), "\(refused.errorText)")
        try drop.child.kill(SIGINT)
        _ = try drop.finish()
    }
}
