import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `PASTEBOARD_DEBUG=frames`, in the command line and in programs that use the library.
@Suite(.processes) struct FrameLogTests {
    @Test("The frames of copy and paste are printed on standard error, and not the contents")
    func commandLine() throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let copied = try desk.run("copy", "-t", "text", input: Array("hidden words".utf8))
        #expect(copied.exitCode == 0)
        let sent = TraceLines(copied.errorText)
        #expect(sent.kinds("->").filter { $0 != "data" } == ["hello", "write", "item", "commit"])
        #expect(sent.dataBytes("->") == 12)
        #expect(sent.kinds("<-") == ["welcome", "committed"])
        #expect(sent.lines.contains { $0.hasPrefix("-> write #1 board: \"general\"") })
        #expect(sent.others.isEmpty, "\(sent.others)")

        let pasted = try desk.run("paste")
        #expect(pasted.text == "hidden words")
        let received = TraceLines(pasted.errorText)
        #expect(received.kinds("<-") == ["welcome", "answer", "data"])
        #expect(received.lines.contains("<- data #1 12 bytes, last"))
        #expect(!copied.errorText.contains("hidden") && !pasted.errorText.contains("hidden"))
    }

    @Test("After a second of silence a command prints once what its streams wait for")
    func waits() throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let offer = try desk.offer(["-t", "text=touch asked; until [ -e go ]; do sleep 0.02; done"])
        let paste = try desk.start("paste")
        try desk.waitForFile("asked", in: ".")
        try paste.waitForErrors(containing: "-- #1: load; a task waits for the broker")
        try desk.directory.write("", to: "go")
        let waits = TraceLines(try paste.finish().errorText).lines.filter { $0.hasPrefix("-- ") }
        #expect(waits.count == 1, "\(waits)")
        try ProcessRunner.end(offer)
    }

    @Test("Each frame of a long text that a source sends is printed once, before the frames that answer it")
    func order() throws {
        let desk = try Desk()
        let bytes = Desk.bytes(3 << 20)
        try desk.directory.write(bytes, to: "large.bin")
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let offer = try desk.offer(["-t", ".bin=cat large.bin"])
        let pasted = try desk.run("paste", "-t", ".bin", "-o", "copy.bin")
        #expect(try desk.directory.contents(of: "copy.bin") == bytes)
        #expect(TraceLines(pasted.errorText).dataBytes("<-") == bytes.count)
        try desk.run("clear")
        let source = TraceLines(try offer.finish().errorText)
        #expect(source.dataBytes("->") == bytes.count)
        let ask = try #require(source.lines.firstIndex { $0.hasPrefix("<- ask #") })
        let data = try #require(source.lines.firstIndex { $0.hasPrefix("-> data #") })
        #expect(ask < data)
    }

    @Test("A program that uses the library prints its frames")
    func library() throws {
        let desk = try Desk()
        try desk.copy("hidden words")
        var environment = desk.environment
        environment["PASTEBOARD_DEBUG"] = "frames"
        let program = try ProcessRunner.program("hello-destination")
        let finished = try ProcessRunner(program, environment: environment).finish()
        #expect(finished.exitCode == 0)
        #expect(finished.text == "text says: hidden words\n")
        let lines = TraceLines(finished.errorText)
        #expect(lines.kinds("->").starts(with: ["hello", "list", "load"]))
        #expect(lines.kinds("<-").contains("answer"))
        #expect(!finished.errorText.contains("hidden"))
    }

    @Test("A broker logs the frames of all clients by their processes, and what it does not accept")
    func broker() throws {
        let desk = try Desk(.socket)
        let plain = desk.environment
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let broker = try desk.serve()
        desk.environment = plain
        let offer = try desk.offer(["-t", "text=echo hidden words"])
        #expect(try desk.run("paste").text == "hidden words\n")
        try desk.copy("hidden too")
        #expect(try desk.run("paste").text == "hidden too")
        _ = try offer.finish()
        let path = try #require(plain["PASTEBOARD_SOCKET"])
        let stranger = ScriptedPeer(try Socket.connect(path: path, deadline: .max))
        try stranger.write([UInt8](repeating: 0xEE, count: 40))
        #expect(try stranger.next().kind == .error)
        #expect(try desk.run("stop").exitCode == 0)
        let log = try broker.finish().errorText
        let prefix = "pasteboard: broker: "
        let text = log.split(separator: "\n").filter { $0.hasPrefix("\(prefix)[") }
            .map { $0.dropFirst(prefix.count) }.joined(separator: "\n")
        let lines = TraceLines(text)
        #expect(lines.others.isEmpty)
        let source = lines.lines.filter { $0.hasPrefix("\(offer.child.id).") }.joined(separator: "\n")
        #expect(source.contains(" <- ask #") && source.contains(" -> end #") && source.contains(" -> write #"))
        #expect(lines.kinds("<-").filter { $0 == "data" }.count == 2)
        #expect(lines.dataBytes("<-") == 23)
        let own = lines.lines.filter { $0.hasPrefix("\(System.processID).") }
        #expect(own.contains { $0.contains(" -> not accepted: ") } && own.contains { $0.contains(" <- error #0 ") })
        #expect(!log.contains("hidden"))
    }

    @Test("A program that has closed standard error, or whose reader has ended, works as without the log")
    func closed() throws {
        let desk = try Desk()
        try desk.copy("words")
        desk.environment["PASTEBOARD_DEBUG"] = "frames"
        let program = try ProcessRunner.program("hello-destination")
        let closed = try desk.shell("exec \(program) 2>&-")
        #expect(closed.exitCode == 0 && closed.text == "text says: words\n")
        let unread = try desk.shell("mkfifo f; (exec 3<f) & exec 2>f; wait; exec \(program)")
        #expect(unread.exitCode == 0 && unread.text == "text says: words\n")
    }

    @Test("An unknown value is noted once, and is ignored")
    func unknown() throws {
        let desk = try Desk()
        try desk.copy("words")
        desk.environment["PASTEBOARD_DEBUG"] = "all\u{1B}"
        let pasted = try desk.run("paste")
        #expect(pasted.text == "words")
        #expect(
            pasted.errorText == "pasteboard: PASTEBOARD_DEBUG is 'all^[' and is ignored; the only value is frames\n"
        )
        desk.environment["PASTEBOARD_DEBUG"] = ""
        #expect(try desk.run("paste").errorText.isEmpty)
    }
}

/// The lines of a trace, without their times.
struct TraceLines {
    /// The lines in the form `-> load #1 board: "general"`, with the peer in front if there is one.
    private(set) var lines: [String] = []
    /// The lines of other programs.
    private(set) var others: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            guard let end = line.firstIndex(of: "]"), line.first == "[", Self.isTime(line[..<end].dropFirst()) else {
                others.append(String(line))
                continue
            }
            lines.append(String(line[end...].dropFirst(2)))
        }
    }

    /// Whether the text is milliseconds, padded to seven columns, and three digits.
    private static func isTime(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".")
        return parts.count == 2 && parts[0].count >= 7 && UInt32(parts[0].drop { $0 == " " }) != nil
            && parts[1].count == 3 && UInt32(parts[1]) != nil
    }

    /// The frames in one direction: the words before its sign are dropped.
    func frames(_ direction: String) -> [[Substring]] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let index = words.prefix(2).firstIndex(of: Substring(direction)) else { return nil }
            return Array(words[(index + 1)...])
        }
    }

    func kinds(_ direction: String) -> [String] {
        frames(direction).compactMap { $0.first.map(String.init) }
    }

    /// The number of bytes in all frames of data.
    func dataBytes(_ direction: String) -> Int {
        frames(direction).filter { $0.first == "data" }.reduce(0) { $0 + ($1.count > 2 ? Int($1[2]) ?? 0 : 0) }
    }
}
