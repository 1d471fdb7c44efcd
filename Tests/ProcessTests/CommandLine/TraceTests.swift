import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard trace`: programs that run with a private socket, and the lines about their frames.
@Suite(.processes) struct TraceTests {
    /// The path of `pasteboard`, for a command to trace.
    private let pasteboard: String

    init() throws {
        pasteboard = try ProcessRunner.program("pasteboard")
    }

    /// Starts a shell under trace.
    private func shell(
        _ script: String,
        _ options: String...,
        at desk: Desk,
        input: CInt? = nil
    ) throws -> ProcessRunner {
        var environment = desk.environment
        environment["PATH"] = "\(System.directory(of: pasteboard)):\(environment["PATH"] ?? "")"
        return try ProcessRunner(
            pasteboard,
            ["trace"] + options + ["--", "/bin/sh", "-c", script],
            environment: environment,
            directory: desk.directory.path,
            input: input
        )
    }

    @Test("A traced copy and paste work as without a trace, and their frames are printed, but not the contents")
    func copyAndPaste() throws {
        let desk = try Desk()
        // No broker runs: the trace starts one, as the copy would.
        let copied = try desk.run("trace", "--", pasteboard, "copy", "-t", "text", input: Array("hidden words".utf8))
        #expect(copied.exitCode == 0 && copied.text.isEmpty)
        let lines = TraceLines(copied.errorText)
        #expect(lines.kinds("->").filter { $0 != "data" } == ["hello", "write", "item", "commit"])
        #expect(lines.dataBytes("->") == 12)
        #expect(lines.kinds("<-") == ["welcome", "committed"])
        #expect(lines.lines.first?.hasPrefix("1 opened by process ") == true)
        let count = lines.kinds("->").count
        #expect(lines.lines.last?.hasPrefix("1 closed by the program: sent \(count) frames, ") == true)
        #expect(lines.others.isEmpty, "\(lines.others)")

        let pasted = try desk.run("trace", "--", pasteboard, "paste", "-t", "text")
        #expect(pasted.text == "hidden words")
        #expect(TraceLines(pasted.errorText).kinds("->") == ["hello", "list", "load"])
        #expect(
            TraceLines(pasted.errorText).kinds("<-") == ["welcome", "contents", "item", "end", "answer", "data"]
        )
        #expect(!copied.errorText.contains("hidden") && !pasted.errorText.contains("hidden"))
        // Without the trace the contents are there, too: it used this user's broker.
        #expect(try desk.run("paste").text == "hidden words")
    }

    @Test("A large file is passed as a descriptor in both directions, and the output goes to a file")
    func descriptor() throws {
        let desk = try Desk()
        let bytes = Desk.bytes(5 << 20)
        try desk.directory.write(bytes, to: "large.bin")
        let copied = try desk.run("trace", "-o", "lines", "--", pasteboard, "copy", "large.bin")
        #expect(copied.exitCode == 0 && copied.errorText.isEmpty)
        let sent = TraceLines(String(decoding: try desk.directory.contents(of: "lines"), as: UTF8.self))
        #expect(sent.lines.contains("1 -> data #1 0 bytes, last +1 descriptor"))
        #expect(sent.lines.last?.contains(", 1 descriptor, received ") == true)
        let pasted = try desk.run("trace", "--output=lines", "--", pasteboard, "paste", "-o", "copy.bin")
        #expect(pasted.exitCode == 0 && pasted.errorText.isEmpty)
        #expect(try desk.directory.contents(of: "copy.bin") == bytes)
        let received = TraceLines(String(decoding: try desk.directory.contents(of: "lines"), as: UTF8.self))
        let answer = received.frames("<-").first { $0.first == "answer" }
        #expect(answer?.suffix(3) == ["last", "+1", "descriptor"])
        #expect(received.dataBytes("<-") == 0)
    }

    @Test("A traced offer is asked, and its bytes are forwarded inline")
    func offer() throws {
        let desk = try Desk()
        let bytes = Desk.bytes(20 << 20)
        try desk.directory.write(bytes, to: "large.bin")
        let offer = try shell("exec pasteboard offer -t .bin='cat large.bin'", at: desk)
        try offer.waitForErrors(containing: "offering ")
        let pasted = try desk.run("trace", "--output", "lines", "--", pasteboard, "paste", "-o", "copy.bin")
        #expect(pasted.exitCode == 0)
        #expect(try desk.directory.contents(of: "copy.bin") == bytes)
        let destination = TraceLines(String(decoding: try desk.directory.contents(of: "lines"), as: UTF8.self))
        #expect(destination.dataBytes("<-") == bytes.count)
        try desk.run("clear")
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        let source = TraceLines(ended.errorText)
        #expect(source.kinds("<-").contains("ask"))
        #expect(source.dataBytes("->") == bytes.count)
        #expect(source.lines.last?.hasPrefix("1 closed by the program: ") == true)
    }

    @Test("If a traced program is killed, the broker notices, and the trace ends with the signal")
    func killed() throws {
        let desk = try Desk()
        // The shell becomes the program.
        let offer = try shell("echo $$; exec pasteboard offer -t text='echo made'", at: desk)
        let process = try #require(CInt(try offer.nextLine()))
        try offer.waitForErrors(containing: "offering ")
        #expect(try desk.run("paste").text == "made\n")
        try System.kill(process, SIGKILL)
        let ended = try offer.finish()
        #expect(ended.exitCode == 128 + SIGKILL)
        #expect(TraceLines(ended.errorText).lines.last?.hasPrefix("1 closed by the program: ") == true)
        #expect(try desk.run("paste").exitCode != 0)
    }

    @Test(
        "The exit code is that of the program, or 128 and its signal",
        arguments: [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -9 $$", 137)] as [(String, CInt)]
    )
    func exitCodes(script: String, code: CInt) throws {
        let desk = try Desk()
        let finished = try shell(script, at: desk).finish()
        #expect(finished.exitCode == code)
        #expect(finished.errorText.isEmpty)
    }

    @Test("A command that is missing or is no program has the exit codes of a shell, and none is a usage error")
    func missing() throws {
        let desk = try Desk()
        let missing = try desk.run("trace", "--", "no-such-program")
        #expect(missing.exitCode == 127)
        #expect(missing.errorText == "pasteboard: trace: cannot run no-such-program: it is not in PATH\n")
        #expect(try desk.run("trace", "./nothing").exitCode == 127)
        try desk.directory.write("text", to: "text")
        let refused = try desk.run("trace", "./text")
        #expect(refused.exitCode == 126)
        #expect(refused.errorText.hasPrefix("pasteboard: trace: cannot run ./text: "))
        #expect(try desk.run("trace").exitCode == 2)
    }

    @Test("Without a broker and without permission to start one, the program does not run")
    func noBroker() throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        let finished = try shell("touch has-run", at: desk).finish()
        #expect(finished.exitCode == 3)
        #expect(!desk.directory.names().contains("has-run"))
    }

    @Test("The private socket is closed to others, is not taken over by a broker, and is removed at the end")
    func privateSocket() throws {
        let desk = try Desk()
        let script = """
            d=$(dirname "$PASTEBOARD_SOCKET"); echo "$d"; stat -c %a "$d" "$PASTEBOARD_SOCKET"
            pasteboard broker 2>/dev/null; echo $?; pasteboard list >/dev/null; echo $?
            """
        let finished = try shell(script, at: desk).finish()
        let lines = finished.text.split(separator: "\n")
        #expect(lines.dropFirst().map(String.init).starts(with: ["700", "600"]))
        #expect(lines.count == 5 && lines[3] != "0" && lines[4] == "0", "\(lines)")
        #expect(try System.status(at: String(lines.first ?? "")) == nil)
    }

    @Test("Several connections have numbers, and the descriptors and streams of the trace are those of the program")
    func several() throws {
        let desk = try Desk()
        try desk.copy("words")
        try desk.directory.write("from a descriptor", to: "given")
        let traced =
            "exec 5<given; pasteboard trace -o lines -- /bin/sh -c '\(pasteboard) paste; \(pasteboard) paste; cat <&5'"
        let finished = try desk.shell(traced)
        #expect(finished.text == "wordswordsfrom a descriptor")
        let lines = TraceLines(String(decoding: try desk.directory.contents(of: "lines"), as: UTF8.self))
        #expect(
            lines.lines.contains { $0.hasPrefix("1 -> load #3 ") }
                && lines.lines.contains { $0.hasPrefix("2 -> load #3 ") }
        )
    }

    @Test("The trace continues until a process that the program has left behind ends")
    func leftBehind() throws {
        let desk = try Desk()
        let traced = try shell("pasteboard offer --background -t text='echo made'", "-o", "lines", at: desk)
        // The process of the offer. The program that prints it ends then.
        #expect(CInt(try traced.nextLine()) != nil)
        #expect(try desk.run("paste").text == "made\n")
        try desk.run("clear")
        #expect(try traced.finish().exitCode == 0)
        let lines = TraceLines(String(decoding: try desk.directory.contents(of: "lines"), as: UTF8.self))
        #expect(lines.kinds("<-").contains("ask"))
    }

    @Test("A signal that is sent to the trace reaches the program")
    func signals() throws {
        let desk = try Desk()
        // The child says that it is ready, because a signal that it gets before its trap is reset is lost.
        let script = "trap 'kill $!; exit 9' TERM; { echo ready; exec sleep 600 >/dev/null 2>&1; } & wait"
        let traced = try shell(script, at: desk)
        #expect(try traced.nextLine() == "ready")
        try traced.child.kill(SIGTERM)
        #expect(try traced.finish().exitCode == 9)
    }

    @Test("A signal that the trace was started to ignore ends neither it nor the program")
    func ignoredSignals() throws {
        let desk = try Desk()
        let script = "trap '' HUP; pasteboard trace -- /bin/sh -c 'kill -HUP $PPID; kill -HUP $$; echo continues'"
        let finished = try desk.shell(script)
        #expect(finished.exitCode == 0 && finished.text == "continues\n")
    }

    @Test("Lines that cannot be written to a file are noted once, and the program continues")
    func fullDisk() throws {
        let desk = try Desk()
        try desk.copy("words")
        let finished = try desk.run("trace", "-o", "/dev/full", "--", pasteboard, "paste")
        #expect(finished.exitCode == 0 && finished.text == "words")
        let lines = finished.errorText.split(separator: "\n")
        #expect(
            lines.count == 1 && lines[0].hasPrefix("pasteboard: trace: cannot write /dev/full: "),
            "\(finished.errorText)"
        )
    }

    @Test("The directory of a killed trace is removed by the next one, and that of a running one is not")
    func leftovers() throws {
        let desk = try Desk()
        try desk.copy("words")
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        let input = try System.pipe().shared()
        let running = try shell("echo ready; read line", at: desk, input: input.first.raw)
        #expect(try running.nextLine() == "ready")
        let names = try desk.shell("ls t").text
        let other = try System.pipe().shared()
        let killed = try shell("echo ready; read line", at: desk, input: other.first.raw)
        #expect(try killed.nextLine() == "ready")
        try killed.child.kill(SIGKILL)
        try System.write(Array("\n".utf8).span, to: other.second.raw)
        _ = try killed.finish()
        #expect(try desk.shell("ls t | wc -l").text.contains("2"))
        #expect(try shell("exit 0", at: desk).finish().exitCode == 0)
        #expect(try desk.shell("ls t").text == names && !names.isEmpty)
        try System.write(Array("\n".utf8).span, to: input.second.raw)
        #expect(try running.finish().exitCode == 0)
    }

    @Test("A connection for which the trace has no descriptor left is sent the reason", arguments: [14, 15])
    func descriptorLimit(limit: Int) throws {
        let desk = try Desk()
        try desk.copy("words")
        let input = try System.pipe().shared()
        let traced = "/bin/sh -c 'echo $PASTEBOARD_SOCKET; read line'"
        let script = "ulimit -n \(limit); exec pasteboard trace -o lines -- \(traced)"
        var environment = desk.environment
        environment["PATH"] = "\(System.directory(of: pasteboard)):\(environment["PATH"] ?? "")"
        let runner = try ProcessRunner(
            "/bin/sh",
            ["-c", script],
            environment: environment,
            directory: desk.directory.path,
            input: input.first.raw
        )
        let path = try runner.nextLine()
        let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        var open: [ScriptedPeer] = []
        var refusal: Failure?
        while refusal == nil, open.count < limit {
            let peer = ScriptedPeer(try Socket.connect(path: path, deadline: deadline))
            open.append(peer)
            // A connection that is refused may be closed before the hello is sent; its answer can be read.
            do { try peer.send(Hello(), stream: 0) } catch let error as SystemError where error.errno == EPIPE {}
            let answer = try peer.next()
            if answer.kind == .error { refusal = try answer.decoded(as: Failure.self) }
        }
        #expect(refusal?.text.contains("descriptor") == true || refusal?.text.contains("open files") == true)
        open = []
        try System.write(Array("\n".utf8).span, to: input.second.raw)
        #expect(try runner.finish().exitCode == 0)
    }

    @Test("Bytes that are no frames reach the broker, its error reaches the program, and both are shown")
    func badFrames() throws {
        let desk = try Desk()
        let input = try System.pipe().shared()
        let traced = try shell("echo \"$PASTEBOARD_SOCKET\"; read line", at: desk, input: input.first.raw)
        let deadline = MonotonicClock.deadline(milliseconds: ProcessRunner.watchdog)
        let peer = ScriptedPeer(try Socket.connect(path: try traced.nextLine(), deadline: deadline))
        var hello = Hello()
        hello.label = "stranger"
        hello.groups = ["hidden-token"]
        try peer.send(hello, stream: 0)
        try peer.write([UInt8](repeating: 0xEE, count: 40))
        #expect(try peer.next().kind == .welcome)
        let error = try peer.next()
        #expect(error.kind == .error)
        #expect(try error.decoded(as: Failure.self).code == .protocolViolation)
        #expect(throws: ScriptedPeerError.closed) { try peer.next() }
        try System.write(Array("\n".utf8).span, to: input.second.raw)
        let finished = try traced.finish()
        #expect(finished.exitCode == 0)
        let lines = TraceLines(finished.errorText).lines
        #expect(lines.contains("1 -> hello #0 label: \"stranger\", groups: 1 token"))
        #expect(lines.contains { $0.hasPrefix("1 -> not a frame: ") })
        #expect(lines.contains { $0.hasPrefix("1 <- error #0 code: protocol-violation, text: \"") })
        #expect(lines.last?.hasPrefix("1 closed by the broker: sent ") == true)
        #expect(!finished.errorText.contains("hidden"))
    }

    @Test("A program that uses the library can be traced")
    func library() throws {
        let desk = try Desk()
        try desk.copy("words")
        let finished = try desk.run("trace", "--", try ProcessRunner.program("hello-destination"))
        #expect(finished.text == "text says: words\n")
        #expect(TraceLines(finished.errorText).kinds("->").starts(with: ["hello", "list", "load"]))
    }
}
