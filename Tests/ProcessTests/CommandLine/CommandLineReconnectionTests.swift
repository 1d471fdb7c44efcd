import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The commands `offer`, `drop` and `paste` when their broker is killed.
@Suite(.processes) struct CommandLineReconnectionTests {
    /// A command that waits until the test creates the file `go`.
    nonisolated private static let waiting = "touch asked; until [ -e go ]; do sleep 0.01; done; echo whole"

    // MARK: offer

    @Test("The contents of an offer come back under their change count, and end as usual", .tags(.f82))
    func offer() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=echo here", "--ttl", "10m"])
        let count = try desk.changeCount()
        for _ in 0..<2 {
            try desk.killBroker()
            try desk.waitForContents()
            #expect(try desk.changeCount() == count)
            #expect(try desk.run("paste").text == "here\n")
        }
        try desk.copy("newer")
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.ranges(of: "pasteboard: offer: the broker ended; connecting again\n").count == 2)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: the offer was replaced by other contents\n"))
        #expect(try desk.run("paste").text == "newer")
    }

    @Test("Contents that were written before an offer comes back win, and the offer ends as replaced", .tags(.f82))
    func newer() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=echo old"])
        try offer.child.kill(SIGSTOP)
        try desk.killBroker()
        try desk.copy("newer")
        try offer.child.kill(SIGCONT)
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: the offer was replaced by other contents\n"))
        #expect(try desk.run("paste").text == "newer")
    }

    @Test("An offer whose broker is stopped, or that can be pasted once, ends with 3 and starts no broker")
    func stopped() throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=echo x"])
        try desk.run("stop")
        #expect(try offer.finish().exitCode == 3)
        #expect(try desk.run("status").exitCode == 3)
        let once = try desk.offer(["-t", "text=echo x", "--once"])
        try desk.killBroker()
        #expect(try once.finish().exitCode == 3)
    }

    /// Kills the broker during a hand-over, and expects that everything is handed over to the next one.
    private func killBroker(during offer: ProcessRunner, at desk: Desk, keeping types: String) throws {
        try desk.killBroker()
        try offer.waitForErrors(containing: "pasteboard: offer: the broker ended; connecting again\n")
        try desk.directory.write("", to: "go")
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: kept \(types)\n"))
    }

    @Test("A hand-over whose broker is killed goes on at the next one")
    func handOver() throws {
        let desk = try Desk()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=\(Self.waiting)"])
        try offer.child.kill(SIGTERM)
        try desk.waitForFile("asked", in: ".")
        try killBroker(during: offer, at: desk, keeping: "public.utf8-plain-text")
        #expect(try desk.run("paste").text == "whole\n")
    }

    @Test("Bytes that were handed over before the broker is killed stay kept, and their command runs once")
    func handOverPartly() throws {
        let desk = try Desk()
        let broker = try desk.serve()
        let types = ["-t", "text=echo x >>runs; echo words", "-t", ".png=\(Self.waiting)"]
        let offer = try desk.offer(["--keep-on-exit"] + types)
        try offer.child.kill(SIGTERM)
        try desk.waitForFile("asked", in: ".")
        try desk.succeed("until pasteboard types | grep -q 'text.*kept'; do sleep 0.01; done")
        try killBroker(during: offer, at: desk, keeping: "public.utf8-plain-text, public.png")
        #expect(try desk.run("paste").text == "words\n")
        #expect(try desk.directory.contents(of: "runs") == Array("x\n".utf8))
        try desk.run("stop")
        _ = try broker.finish()
    }

    @Test("A hand-over during a takeover goes on at the other broker, and ends the loads at this one", .tags(.f90))
    func handOverAtTakeover() throws {
        let desk = try Desk()
        let broker = try desk.serve()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=printf begin; \(Self.waiting)"])
        let paste = try desk.start("paste", "--timeout", "10m")
        try paste.waitForOutput(containing: "begin")
        let next = try desk.serve("--replace")
        try offer.child.kill(SIGTERM)
        try offer.waitForErrors(containing: "pasteboard: offer: the broker ended; connecting again\n")
        #expect(try paste.finish().exitCode == 5)
        try desk.directory.write("", to: "go")
        let ended = try offer.finish()
        #expect(ended.exitCode == 0)
        #expect(ended.errorText.hasSuffix("pasteboard: offer: kept public.utf8-plain-text\n"))
        #expect(try desk.run("paste").text == "beginwhole\n")
        try desk.run("stop")
        _ = try (broker.finish(), next.finish())
    }

    @Test("An offer that is to keep its promises, and finds no other broker, reports that nothing was kept")
    func handOverToNobody() throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        let broker = try desk.serve()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=echo words"])
        try broker.child.kill(SIGKILL)
        try offer.waitForErrors(containing: "pasteboard: offer: the broker ended; connecting again\n")
        try offer.child.kill(SIGTERM)
        let ended = try offer.finish()
        #expect(ended.exitCode == 3)
        #expect(
            ended.errorText.contains(
                "pasteboard: offer: kept nothing; not kept: public.utf8-plain-text (the broker was lost, and the contents were at no other one in time)\n"
            )
        )
    }

    @Test("A hand-over that a signal ends after the broker was killed reports what that broker had kept")
    func handOverInterrupted() throws {
        let desk = try Desk()
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        let broker = try desk.serve()
        let offer = try desk.offer(["--keep-on-exit", "-t", "text=echo words", "-t", ".png=\(Self.waiting)"])
        try offer.child.kill(SIGTERM)
        try desk.succeed("until pasteboard types | grep -q 'text.*kept'; do sleep 0.01; done")
        try broker.child.kill(SIGKILL)
        try offer.waitForErrors(containing: "pasteboard: offer: the broker ended; connecting again\n")
        try offer.child.kill(SIGINT)
        let ended = try offer.finish()
        #expect(ended.exitCode == 130)
        #expect(
            ended.errorText.hasSuffix(
                "offer: the broker that ended had kept public.utf8-plain-text; not kept: public.png (interrupted)\n"
            )
        )
    }

    // MARK: drop

    @Test("A destination is registered again, also one for a single drop, and receives drops", .tags(.f82))
    func drop() throws {
        let desk = try Desk()
        try desk.directory.write("dropped", to: "a.txt")
        let drop = try desk.destination(["--once"])
        try desk.killBroker()
        try drop.waitForErrors(containing: "pasteboard: drop: the broker ended; connecting again\n")
        #expect(try desk.run("drag", "a.txt", "--to", "inbox", "--wait", "10m").exitCode == 0)
        let dropped = try drop.finish()
        #expect(dropped.exitCode == 0 && dropped.text == "in/a.txt\n")
        let other = try desk.destination()
        try desk.run("stop")
        #expect(try other.finish().exitCode == 3)
    }

    @Test("A drop that is under way fails with its broker, and the destination receives the next one")
    func dropUnderWay() throws {
        let desk = try Desk()
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

    // MARK: copy

    @Test("A copy whose broker ends before it has its input writes to the next one, and may start it", .tags(.f82))
    func waitingCopy() throws {
        for end in [SIGKILL, SIGTERM] {
            let desk = try Desk()
            let broker = try desk.serve()
            let input = "until [ -e go ]; do sleep 0.01; done; echo late"
            let copy = try ProcessRunner(
                "/bin/sh",
                ["-c", "(\(input)) | \"$0\" copy -t text --label waiting", try ProcessRunner.program("pasteboard")],
                environment: desk.environment,
                directory: desk.directory.path
            )
            try eventually("a copy") { try desk.run("status").text.contains("  waiting ") }
            try broker.child.kill(end)
            _ = try broker.finish()
            try desk.directory.write("", to: "go")
            let copied = try copy.finish()
            #expect(copied.exitCode == 0, "\(copied.errorText)")
            #expect(try desk.run("paste").text == "late\n")
        }
    }

    // MARK: All

    @Test("What stands ends at once if other users may write to the directory of the socket", .tags(.f70))
    func unsafeDirectory() throws {
        let desk = try Desk()
        let broker = try desk.serve()
        let paste = try desk.start("paste", "--board", "other", "--wait")
        let watch = try desk.start("watch")
        try eventually("two watches") { try desk.run("status", "--json").text.contains(#""watches":2"#) }
        let standing = [paste, watch, try desk.offer(["-t", "text=echo x"]), try desk.destination()]
        #expect(chmod(desk.directory["run/pasteboard"], 0o777) == 0)
        try broker.child.kill(SIGKILL)
        for command in standing {
            let ended = try command.finish()
            #expect(ended.exitCode == 6 && ended.errorText.contains("could put another socket"), "\(ended.errorText)")
        }
    }

    // MARK: paste

    @Test("A paste that waits gets what is written after its broker was killed", .tags(.f82))
    func waitingPaste() throws {
        let desk = try Desk()
        let paste = try desk.start("paste", "--wait", "-t", "text")
        try desk.waitForWatch()
        try desk.killBroker()
        try paste.waitForErrors(containing: "pasteboard: paste: the broker ended; connecting again\n")
        try desk.copy("later")
        let pasted = try paste.finish()
        #expect(pasted.exitCode == 0 && pasted.text == "later")
        try desk.run("clear")
        let other = try desk.start("paste", "--wait")
        try desk.waitForWatch()
        try desk.run("stop")
        #expect(try other.finish().exitCode == 3)
    }

    @Test("A signal ends a paste that has waited, while it waits for the source or for the reader of its output")
    func interruptedPaste() throws {
        let desk = try Desk()
        let paste = try desk.start("paste", "--wait")
        try desk.waitForWatch()
        let offer = try desk.offer(["-t", "text=\(Self.waiting)"])
        try desk.waitForFile("asked", in: ".")
        try paste.child.kill(SIGINT)
        #expect(try paste.finish().exitCode == 130)
        try offer.child.kill(SIGTERM)
        #expect(try offer.finish().exitCode == 143)

        let pipe = try System.pipe()
        let blocked = try desk.start("paste", "--wait", standardOutput: pipe.second.raw)
        try desk.waitForWatch()
        try desk.directory.write(Desk.bytes(1_000_000), to: "large")
        try desk.run("copy", "large")
        // More than the pipe holds is left.
        #expect(try System.read(pipe.first.raw, upTo: 1).count == 1)
        try blocked.child.kill(SIGINT)
        #expect(try blocked.finish().exitCode == 130)
    }

    @Test(
        "A paste whose broker is killed before the first byte pastes the same contents when they are back",
        .tags(.f83),
        arguments: [[], ["-o", "file"], ["--wait"]]
    )
    func paste(options: [String]) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=\(Self.waiting)"])
        let paste = try desk.startPaste(options)
        try desk.waitForFile("asked", in: ".")
        try paste.child.kill(SIGSTOP)
        try desk.killBroker()
        try desk.directory.write("", to: "go")
        try desk.waitForContents()
        try paste.child.kill(SIGCONT)
        let pasted = try paste.finish()
        #expect(pasted.exitCode == 0, "\(pasted.errorText)")
        let bytes = options.first == "-o" ? try desk.directory.contents(of: "file") : pasted.output
        #expect(bytes == Array("whole\n".utf8))
        try offer.child.kill(SIGTERM)
        #expect(try offer.finish().exitCode == 143)
    }

    @Test(
        "A paste whose broker is killed before the first byte pastes what the next one has",
        .tags(.f83),
        arguments: [[], ["-o", "file"]]
    )
    func otherContents(options: [String]) throws {
        let desk = try Desk()
        let broker = try desk.serve()
        let offer = try desk.offer(["-t", "text=\(Self.waiting)"])
        let paste = try desk.startPaste(options)
        try desk.waitForFile("asked", in: ".")
        try offer.child.kill(SIGSTOP)
        try paste.child.kill(SIGSTOP)
        try desk.killBroker()
        try desk.copy("other")
        try paste.child.kill(SIGCONT)
        let pasted = try paste.finish()
        #expect(pasted.exitCode == 0, "\(pasted.errorText)")
        let bytes = options.isEmpty ? pasted.output : try desk.directory.contents(of: "file")
        #expect(bytes == Array("other".utf8))
        try offer.child.kill(SIGCONT)
        #expect(try offer.finish().exitCode == 0)
        try desk.run("stop")
        _ = try broker.finish()
    }
}

extension Desk {
    /// Kills the broker.
    func killBroker() throws {
        let words = try run("status").text.split { " ,\n".contains($0) }
        let process = try #require(words.firstIndex(of: "process").flatMap { CInt(words[$0 + 1]) })
        try System.kill(process, SIGKILL)
    }

    /// Waits until the broker serves a watch.
    func waitForWatch() throws {
        try eventually("a watch") { try run("status", "--json").text.contains(#""watches":1"#) }
    }

    /// Waits until the general pasteboard has contents that can be loaded.
    fileprivate func waitForContents() throws {
        try eventually("contents") { try run("types").exitCode == 0 }
    }

    fileprivate func changeCount() throws -> String {
        let words = try run("list", "--json").text.split { ",{}:[]".contains($0) }
        return String(try #require(words.firstIndex(of: #""changeCount""#).map { words[$0 + 1] }))
    }

    fileprivate func startPaste(_ options: [String]) throws -> ProcessRunner {
        try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            ["paste", "-t", "text"] + options,
            environment: environment,
            directory: directory.path
        )
    }
}
