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

    @Test("The status shows the sessions and the destinations")
    func status() throws {
        let drop = try desk.destination(name: "c")
        let source = try RawDragSource(at: desk)
        #expect(try source.drop(at: "c") == .copy)
        _ = try source.asked()
        let status = try desk.run("status").text
        #expect(status.contains("\nsessions\n  dropping") || status.contains("\nsessions\n  transferring"))
        #expect(status.contains("raw (\(getpid()))  1 item  at c  copy"))
        #expect(status.contains("  c  pasteboard (\(drop.child.id))  1 session  anything\n"))
        let whole = try desk.run("status", "--json").text
        #expect(whole.contains(#""destination":"c","operation":"copy","milliseconds":"#))
        #expect(whole.contains(#""types":["public.data"]}]"#))
        #expect(whole.contains(#""destinations":[{"name":"c""#))
    }

    @Test("A drop that is under way fails with its broker, and the destination receives the next one")
    func dropUnderWay() throws {
        let drop = try desk.destination()
        let once = try desk.destination(["--once"], name: "once")
        let sources = try ["inbox", "once"].map { name in
            let source = try RawDragSource(at: desk, ["\(name).bin"])
            #expect(try source.drop(at: name) == .copy)
            try source.peer.sendData([1, 2, 3], stream: try source.asked())
            return source
        }
        try desk.killBroker()
        for source in sources { source.peer.close() }
        let ended = try once.finish()
        #expect(ended.exitCode == 3 && ended.text.isEmpty)
        #expect(ended.errorText.contains("was lost: the broker closed it"))
        try desk.directory.write("next", to: "a.txt")
        #expect(try desk.run("drag", "a.txt", "--to", "inbox", "--wait", "10m").exitCode == 0)
        #expect(try drop.nextLine() == "in/a.txt")
        try drop.child.kill(SIGTERM)
        #expect(try drop.finish().exitCode == 143)
        #expect(desk.directory.names(in: "in") == ["a.txt"])
    }
}
