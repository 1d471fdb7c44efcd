import FoundationEssentials
import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard offer`: commands that run when the contents are pasted.
@Suite(.processes) struct CommandLineOfferTests {
    @Test("A file that was replaced after it was offered is sent as it was, with a note")
    func replacedFile() throws {
        let desk = try Desk()
        try desk.directory.write("first", to: "file")
        let offer = try desk.offer(["file"])
        try desk.succeed("echo second >new; mv new file")
        #expect(try desk.run("paste").text == "first")
        try offer.waitForErrors(containing: "file has been replaced since it was offered; the earlier file is sent")
    }

    @Test("A command runs at each load and not before, and its complete output is delivered")
    func lazy() throws {
        let desk = try Desk()
        let bytes = Desk.bytes(3 << 20)
        try desk.directory.write(bytes, to: "large.png")
        let offer = try desk.offer([
            "-t", "text=echo run >>runs; wc -l <runs", "-t", ".png=cat large.png", "--name", "n.txt",
        ])
        #expect(
            try desk.run("types").text
                == "public.utf8-plain-text  -  promised  n.txt\npublic.png              -  promised  n.txt\n"
        )
        #expect(!desk.directory.names().contains("runs"))
        #expect(try desk.run("paste").text == "1\n")
        #expect(try desk.run("paste").text == "2\n")
        #expect(try desk.run("paste", "-t", ".png").output == bytes)
        #expect(try desk.run("paste", "--into", ".", "-t", "text").text == "./n.txt\n")
        try desk.copy("other")
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: the offer was replaced by other contents\n"))
    }

    @Test("An offer ends successfully when its contents are cleared, on any pasteboard")
    func cleared() throws {
        let desk = try Desk()
        let general = try desk.offer(["-t", "text=echo general"])
        let other = try desk.offer(["-t", "text=echo other"], board: "other")
        try desk.run("clear", "--board", "other")
        let ended = try other.finish()
        #expect(ended.exitCode == 0)
        #expect(
            ended.errorText == "offering public.utf8-plain-text on other\npasteboard: offer: the offer was cleared\n"
        )
        #expect(try desk.run("paste").text == "general\n")
        try desk.run("clear")
        #expect(try general.finish().exitCode == 0)
    }

    @Test("Loads run at the same time")
    func concurrent() throws {
        let desk = try Desk()
        // Each command ends only after three have begun.
        let command = "touch begun.$$; while [ $(ls begun.* | wc -l) -lt 3 ]; do sleep 0.01; done; echo done"
        let offer = try desk.offer(["-t", "text=\(command)"])
        let pastes = try (0..<3).map { _ in try desk.start("paste") }
        for paste in pastes { #expect(try paste.finish().text == "done\n") }
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test(
        "A load whose destination grants exactly the bytes that the command prints ends, although no credit is left",
        arguments: [("true", 0), ("echo hello", 6), ("head -c 100000 /dev/zero", 100_000)]
    )
    func exactCredit(command: String, count: Int) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=\(command)"])
        #expect(try RawDestination(at: desk, credit: UInt64(count)).end() == count)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("More loads than run at the same time are all served")
    func many() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=cat", "-t", ".bin=head -c 300000 /dev/zero"])
        let pastes = try (0..<40).map { _ in try desk.start("paste", "-t", ".bin") }
        for paste in pastes { #expect(try paste.finish().output.count == 300_000) }
        // The input of the command is empty, not that of the terminal.
        #expect(try desk.run("paste", "-t", "text").output.isEmpty)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("A command's status and last output reach the destination, and the offer continues")
    func failing() throws {
        let desk = try Desk()
        let offer = try desk.offer([
            "-t", "text=echo part; echo first >&2; echo 'no such thing' >&2; exit 7", "-t", ".png=kill -9 $$",
        ])
        let failed = try desk.run("paste")
        #expect(failed.exitCode == 5)
        #expect(
            failed.errorText.contains("the command for public.utf8-plain-text ended with status 7: no such thing")
        )
        #expect(failed.errorText.split(separator: "\n").count == 1)
        #expect(try desk.run("paste", "-t", ".png").errorText.contains("was ended by signal 9"))
        try desk.run("clear")
        #expect(try offer.finish().errorText.contains("first\nno such thing\n"))
    }

    @Test("A cancelled load ends its command, with all processes that it has started")
    func cancelled() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=sleep 600 & echo $! >pid.new; mv pid.new pid; wait"])
        let paste = try desk.start("paste")
        let sleeper = try Self.process(namedIn: "pid", of: desk)
        try paste.child.kill(SIGKILL)
        #expect(try paste.finish().exitCode == 137)
        try Self.waitForEnd(of: sleeper)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("What a command has left in the background goes on after the load and after the offer")
    func leftBehind() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=sleep 600 >sleeps 2>&1 & echo $! >pid.new; mv pid.new pid; echo x"])
        #expect(try desk.run("paste").text == "x\n")
        let sleeper = try Self.process(namedIn: "pid", of: desk)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
        #expect(kill(sleeper, SIGKILL) == 0)
        try Self.waitForEnd(of: sleeper)
    }

    @Test("A command that ignores the request to end is killed")
    func stubborn() throws {
        let desk = try Desk()
        let offer = try desk.offer([
            "-t", "text=trap '' TERM; echo $$ >pid.new; mv pid.new pid; while :; do sleep 1; done",
        ])
        let paste = try desk.start("paste")
        let shell = try Self.process(namedIn: "pid", of: desk)
        try paste.child.kill(SIGKILL)
        _ = try paste.finish()
        try Self.waitForEnd(of: shell)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test("A signal ends the offer and its commands", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(signal: CInt) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=sleep 600 & echo $! >pid.new; mv pid.new pid; wait"])
        let paste = try desk.start("paste")
        let sleeper = try Self.process(namedIn: "pid", of: desk)
        try offer.child.kill(signal)
        #expect(try offer.finish().exitCode == 128 + signal)
        #expect(try paste.finish().exitCode == 5)
        try Self.waitForEnd(of: sleeper)
        // The promises are withdrawn.
        #expect(try desk.run("types").exitCode == 1)
        #expect(try desk.run("list").text.isEmpty)
    }

    @Test("The promises of an offer that ends while the broker is stopped are withdrawn when it continues")
    func endsWithoutAnswer() throws {
        let desk = try Desk()
        let broker = try desk.startBroker()
        let offer = try desk.offer(["-t", "text=sleep 600 & echo $! >pid.new; mv pid.new pid; wait"])
        let paste = try desk.start("paste")
        let sleeper = try Self.process(namedIn: "pid", of: desk)
        try System.kill(broker, SIGSTOP)
        try offer.child.kill(SIGTERM)
        #expect(try offer.finish().exitCode == 128 + SIGTERM)
        try System.kill(broker, SIGCONT)
        #expect(try paste.finish().exitCode == 5)
        try Self.waitForEnd(of: sleeper)
        #expect(try desk.run("types").exitCode == 1)
    }

    @Test("With --keep-on-exit a signal hands the promises over to the broker", arguments: [SIGTERM, SIGHUP])
    func keepsOnExit(signal: CInt) throws {
        let desk = try Desk()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=echo words", "-t", ".png=cat large; exit 0"])
        let bytes = Desk.bytes(300_000)
        try desk.directory.write(bytes, to: "large")
        try offer.child.kill(signal)
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: kept public.utf8-plain-text, public.png\n"))
        #expect(try desk.run("paste").text == "words\n")
        #expect(try desk.run("paste", "-t", ".png").output == bytes)

        try desk.directory.write("file", to: "f.txt")
        _ = try desk.directory.makeDirectory("folder")
        _ = try desk.directory.makeDirectory("out")
        try desk.directory.write("inside", to: "folder/in")
        let files = try desk.offer(["--keep-on-exit", "f.txt", "folder"])
        try files.child.kill(signal)
        #expect(try files.finish().exitCode == 0)
        #expect(try desk.run("paste").text == "file")
        #expect(try desk.run("paste", "--into", "out").exitCode == 0)
        #expect(try String(contentsOfFile: desk.directory["out/folder/in"], encoding: .utf8) == "inside")
    }

    @Test("A command that fails is not kept: the others are, and the exit code is that of the signal")
    func keepsPartly() throws {
        let desk = try Desk()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=echo words", "-t", ".png=exit 3"])
        try offer.child.kill(SIGINT)
        let ended = try offer.finish()
        #expect(ended.exitCode == 130)
        #expect(
            ended.errorText.hasSuffix(
                "kept public.utf8-plain-text; not kept: public.png (the command for public.png ended with status 3)\n"
            )
        )
        #expect(try desk.run("paste").text == "words\n")
        #expect(try desk.run("offer", "--keep-on-exit", "--sensitive", "-t", "text=echo").exitCode == 2)
    }

    @Test("A second signal ends a hand-over and its commands at once")
    func secondSignal() throws {
        let desk = try Desk()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=sleep 600 & echo $! >pid.new; mv pid.new pid; wait"])
        try offer.child.kill(SIGTERM)
        let sleeper = try Self.process(namedIn: "pid", of: desk)
        try offer.child.kill(SIGINT)
        #expect(try offer.finish().exitCode == 130)
        try Self.waitForEnd(of: sleeper)
    }

    @Test("An offer that ends withdraws no newer contents, and reports what it replaces itself")
    func withdrawal() throws {
        let desk = try Desk()
        try desk.directory.write("1", to: "1.png")
        try desk.directory.write("2", to: "2.txt")
        try desk.run("copy", "1.png", "2.txt")
        let first = try desk.offer(["-t", "text=sleep 600 & echo $! >pid.new; mv pid.new pid; wait"])
        try first.waitForErrors(containing: "pasteboard: offer: replaced 2 items of pasteboard (")
        try first.waitForErrors(containing: "): public.png, ...\n")
        // The offer continues after its end for the load that has begun.
        let paste = try desk.start("paste")
        _ = try Self.process(namedIn: "pid", of: desk)
        try desk.copy("other")
        try first.waitForErrors(containing: "replaced by other contents")
        try first.child.kill(SIGINT)
        #expect(try first.finish().exitCode == 130)
        #expect(try paste.finish().exitCode == 5)
        #expect(try desk.run("paste").text == "other")
        let empty = try desk.offer(["-t", "text=cat"], board: "empty")
        try empty.child.kill(SIGTERM)
        #expect(try !empty.finish().errorText.contains("replaced"))
    }

    @Test("An offer in the background returns when it can be pasted, and ends with its contents")
    func background() throws {
        let desk = try Desk()
        let start = try desk.run("offer", "--background", "-t", "text=echo $PPID; pwd; echo words >&2", "--name", "n")
        #expect(start.exitCode == 0)
        #expect(start.errorText == "offering public.utf8-plain-text on general\n")
        let process = try #require(CInt(start.text.dropLast()))
        #expect(try desk.run("paste").text == "\(process)\n\(desk.directory.path)\n")
        // The first field after the name in parentheses is the state, the fourth the session.
        let status = String(decoding: try System.contents(of: "/proc/\(process)/stat"), as: UTF8.self)
        #expect(status.split(separator: ")")[1].split(separator: " ")[3] == "\(process)")
        #expect(try desk.run("clear").exitCode == 0)
        try Self.waitForEnd(of: process)
        #expect(!desk.directory.names(in: "s/pasteboard").contains("words"))
    }

    @Test("An offer that cannot go to the background fails as in the foreground")
    func failingBackground() throws {
        let desk = try Desk()
        #expect(try desk.run("offer", "--background").exitCode == 2)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        let failed = try desk.run("offer", "--background", "-t", "text=echo")
        #expect(failed.exitCode == 3)
        #expect(failed.errorText.contains("no broker listens at"))
        #expect(failed.output.isEmpty)
    }

    @Test("A verbose offer prints one line for each load, in the background to the log")
    func verbose() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-v", "-t", "text=printf 12345", "-t", ".png=echo no >&2; exit 3"])
        #expect(try desk.run("paste").text == "12345")
        try offer.waitForErrors(containing: "pasteboard: offer: public.utf8-plain-text: 5 bytes in ")
        try offer.waitForErrors(containing: " ms: done\n")
        #expect(try desk.run("paste", "-t", ".png").exitCode == 5)
        try offer.waitForErrors(containing: "pasteboard: offer: public.png: 0 bytes in ")
        try offer.waitForErrors(containing: " ms: the command for public.png ended with status 3: no\n")
        let start = try desk.run("offer", "--background", "-v", "-t", "text=echo words >&2; echo x")
        #expect(try offer.finish().exitCode == 0)
        #expect(try desk.run("paste").text == "x\n")
        #expect(try desk.run("clear").exitCode == 0)
        try Self.waitForEnd(of: try #require(CInt(start.text.dropLast())))
        let log = String(decoding: try desk.directory.contents(of: "s/pasteboard/log"), as: UTF8.self)
        #expect(log.contains("words\npasteboard: offer: public.utf8-plain-text: 2 bytes in "))
    }

    @Test("A slow command is kept alive by reports of progress, before its first byte and after it")
    func keepAlive() throws {
        let desk = try Desk(.socket)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        // The test plays the broker, so that none of the short deadlines ends the load.
        var listener = try ListeningSocket(path: desk.directory["socket"])
        let command = "until [ -e 1 ]; do sleep 0.01; done; echo a; until [ -e 2 ]; do sleep 0.01; done; echo b"
        let offer = try desk.start("offer", "-t", "text=\(command)")
        _ = try System.poll([PollInterest(listener.raw, .readable)], milliseconds: ProcessRunner.watchdog)
        guard case .connection(let socket) = try listener.accept() else { throw ScriptedPeerError.nothingCame }
        let peer = ScriptedPeer(socket)
        var welcome = Welcome.standard()
        welcome.progressMilliseconds = 300
        try peer.send(welcome, stream: 0)
        // The offer lists the contents that it replaces.
        let list = try peer.next(.list).stream
        try peer.send(Contents(), stream: list)
        try peer.send(End(), stream: list)
        var committed = Committed()
        committed.changeCount = 1
        try peer.send(committed, stream: try peer.next(.commit).stream)
        var ask = Ask()
        (ask.type, ask.credit, ask.firstByteMilliseconds) = ("public.utf8-plain-text", 1 << 20, 300)
        try peer.send(ask, stream: 2)
        for (file, text) in [("1", "a\n"), ("2", "b\n")] {
            // The command waits for the file, so these are about a command without output.
            for _ in 0..<3 { #expect(try peer.next(.progress).stream == 2) }
            try desk.directory.write("", to: file)
            #expect(try peer.next(.data).payload == Array(text.utf8))
        }
        try System.unlink(desk.directory["socket"])
        try offer.child.kill(SIGTERM)
        peer.close()
        #expect(try offer.finish().exitCode == 128 + SIGTERM)
    }

    @Test("Loads that wait for their turn are completed although the contents were replaced", .tags(.f34))
    func replacedWhileQueued() throws {
        let desk = try Desk()
        let command = "echo x >>begun; while [ ! -e go ]; do sleep 0.01; done; echo old"
        let offer = try desk.offer(["-t", "text=\(command)"])
        let pastes = try (0..<20).map { _ in try desk.start("paste") }
        try desk.succeed("until [ $(wc -l <begun) = 16 ]; do sleep 0.01; done")
        try desk.succeed("until pasteboard status | grep -c 'to process' | grep -q 20; do sleep 0.01; done")
        try desk.copy("new")
        try offer.waitForErrors(containing: "replaced")
        try desk.directory.write("", to: "go")
        for paste in pastes { #expect(try paste.finish().text == "old\n") }
        #expect(try offer.finish().exitCode == 0)
    }

    // Several times, because the command's last bytes and its end are seen together or one after the other.
    @Test("A load that has begun is completed although the contents were replaced", .tags(.f34), arguments: 0..<8)
    func replacedMeanwhile(_: Int) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=touch begun; while [ ! -e go ]; do sleep 0.01; done; echo old"])
        let paste = try desk.start("paste")
        try eventually("the begin of the command") { desk.directory.names().contains("begun") }
        try desk.copy("new")
        try offer.waitForErrors(containing: "replaced")
        try desk.directory.write("", to: "go")
        #expect(try paste.finish().text == "old\n")
        #expect(try offer.finish().exitCode == 0)
    }

    @Test(
        "An offer with invalid arguments is refused",
        arguments: [[], ["-t", "text"], ["-t", "text="], ["-t", "x=y"]]
    )
    func usage(arguments: [String]) throws {
        let desk = try Desk()
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        #expect(try desk.shell("pasteboard offer \(words)").exitCode == 2)
        #expect(try desk.run("status").exitCode == 3)
    }

    // MARK: Other processes

    private static func process(namedIn name: String, of desk: Desk) throws -> CInt {
        try eventually("the file \(name)") { desk.directory.names().contains(name) }
        let digits = try desk.directory.contents(of: name).prefix { $0 != UInt8(ascii: "\n") }
        return try #require(CInt(String(decoding: digits, as: UTF8.self)))
    }

    private static func waitForEnd(of process: CInt) throws {
        // The process may have exited already.
        guard let descriptor = try? System.processDescriptor(process) else { return }
        let ready = try System.poll(
            [PollInterest(descriptor.raw, .readable)],
            milliseconds: ProcessRunner.watchdog
        )
        #expect(!ready[0].isEmpty, "process \(process) still runs")
    }
}
