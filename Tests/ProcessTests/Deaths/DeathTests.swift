import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Sources and destinations that exit, stop or fall silent at each point of a load. Deadlines end these waits only
/// where the test says so: the broker's are ten minutes, the test's watchdog is five minutes.
@Suite(.processes) struct DeathTests {
    @Test(
        "A source killed before a load, before its first byte, or after some bytes is reported as source-gone",
        .tags(.f22, .f23, .f24)
    )
    func killedSource() throws {
        let desk = try Desk()
        for (command, said) in [
            (":", "before it sent a byte"), ("printf x", "after 1 bytes"),
            ("head -c 300000 /dev/zero", "after 300000 bytes"),
        ] {
            let offer = try desk.offer(["-t", "public.data=\(command); echo $$ >pid; mv pid running; exec sleep 1000"])
            let paste = try desk.start("paste", "-o", "output")
            let running = try desk.shell("until [ -e running ]; do sleep 0.01; done; cat running; rm running").text
            let sleeper = try #require(CInt(running.filter(\.isNumber)))
            // No process that is left ends the command of a killed source.
            defer { try? System.kill(sleeper, SIGKILL) }
            // The command's output has reached the destination before its source is killed.
            _ = try desk.shell(
                "until pasteboard status --json | grep -q '\"bytes\":\(Self.bytes(of: said))[,}]'; do sleep 0.01; done"
            )
            try offer.child.killGroup(SIGKILL)
            let pasted = try paste.finish()
            #expect(pasted.exitCode == 5)
            #expect(pasted.errorText.contains(said), "\(pasted.errorText)")
            #expect(!desk.directory.names().contains("output"))
            #expect(try desk.run("paste").errorText.contains("has ended; its promises can no longer be loaded"))
            #expect(try offer.finish().exitCode == 128 + SIGKILL)
        }
    }

    nonisolated private static func bytes(of said: String) -> String {
        let digits = said.filter(\.isNumber)
        return digits.isEmpty ? "0" : digits
    }

    @Test(
        "All declared bytes without an end count as truncated; with the end they are complete, even after a death",
        .tags(.f25)
    )
    func declaredSize() throws {
        let desk = try Desk()
        _ = try desk.startBroker()
        let truncated = try RawSource(at: desk, byteCount: 5)
        let paste = try desk.start("paste", "-t", "public.data")
        try truncated.peer.sendData(Array("12345".utf8), stream: try truncated.asked())
        truncated.peer.close()
        let failed = try paste.finish()
        #expect(failed.exitCode == 5 && failed.errorText.contains("without confirming that they are complete"))
        for _ in 0..<50 {
            let whole = try RawSource(at: desk, byteCount: 5)
            let paste = try desk.start("paste", "-t", "public.data")
            try whole.peer.sendData(Array("12345".utf8), stream: try whole.asked(), last: true)
            whole.peer.close()
            #expect(try paste.finish().text == "12345")
        }
    }

    @Test("A source that dies within a frame fails its destination's load, and no other load")
    func insideFrame() throws {
        let desk = try Desk()
        _ = try desk.startBroker()
        let dying = try RawSource(at: desk, board: "dying")
        let living = try RawSource(at: desk, board: "living")
        // Both loads on one connection.
        let destination = try RawDestination(at: desk)
        let first = try destination.load(board: "dying")
        let second = try destination.load(board: "living")
        try dying.sendPart([UInt8](repeating: 1, count: 1_000), of: 256 << 10, on: try dying.asked())
        #expect(try destination.bytes(of: first, atLeast: 1_000) == 1_000)
        dying.peer.close()
        #expect(try destination.failure(of: first).code == .sourceGone)
        try living.peer.sendData([UInt8](repeating: 2, count: 70_000), stream: try living.asked(), last: true)
        #expect(try destination.bytes(of: second, atLeast: 70_000) == 70_000)
    }

    @Test("The death of a destination is reported to its source, once")
    func deadDestination() throws {
        let desk = try Desk()
        _ = try desk.startBroker()
        let source = try RawSource(at: desk)
        for sent in [0, 1, 100_000] {
            let paste = try desk.start("paste", "-t", "public.data")
            let stream = try source.asked()
            if sent > 0 { try source.peer.sendData([UInt8](repeating: 3, count: sent), stream: stream) }
            try paste.child.kill(SIGKILL)
            _ = try paste.finish()
            #expect(try source.peer.next(.cancel).stream == stream)
        }
        // No other frame was sent to the source: the next one is the next ask.
        let paste = try desk.start("paste", "-t", "public.data")
        let frame = try source.peer.next()
        #expect(frame.kind == .ask)
        try source.peer.sendData([], stream: frame.stream, last: true)
        #expect(try paste.finish().exitCode == 0)
        #expect(try desk.run("status").text.contains("loads\n  none"))
    }

    @Test("A source that is stopped is reported as stalled at the deadline", .tags(.f30))
    func stoppedSource() throws {
        let desk = try Desk(limits: "first-byte = 2s\n")
        let offer = try desk.offer(["-t", "public.data=echo never"])
        try offer.child.kill(SIGSTOP)
        let paste = try desk.run("paste")
        #expect(paste.exitCode == 5 && paste.errorText.contains("sent no byte within"))
        try offer.child.kill(SIGCONT)
        // The limit also ends loads whose source is delayed by others.
        try eventually("a paste from the continued source") { try desk.run("paste").text == "never\n" }
    }

    @Test("One of eight destinations never reads, and the others get everything")
    func eightDestinations() throws {
        let desk = try Desk()
        let bytes = Desk.bytes(4 << 20)
        try desk.directory.write(bytes, to: "large")
        let offer = try desk.offer(["-t", "public.data=cat large"])
        defer { withExtendedLifetime(offer) {} }
        let pipe = try System.pipe()
        let stuck = try desk.start("paste", standardOutput: pipe.second.raw)
        let others = try (0..<7).map { _ in try desk.start("paste") }
        for other in others { #expect(try other.finish().output == bytes) }
        try stuck.child.kill(SIGKILL)
    }

    @Test("However many bytes pass through, the broker's memory does not grow", .tags(.f39))
    func flatMemory() throws {
        let desk = try Desk()
        let broker = try desk.startBroker()
        let count = thinned(128 << 20, full: 1 << 30)
        let offer = try desk.offer(["-t", "public.data=head -c \(count) /dev/zero"])
        defer { withExtendedLifetime(offer) {} }
        // Once before, so that one-time allocations are made.
        #expect(try desk.shell("pasteboard paste --timeout 10m | head -c 33554432 | wc -c").text == "33554432\n")
        let before = try Self.memory(of: broker)
        #expect(try desk.shell("pasteboard paste | wc -c").text == "\(count)\n")
        #expect(try Self.memory(of: broker) - before < 8 << 10)
    }

    /// The maximum resident memory of a process in KiB.
    nonisolated private static func memory(of process: Int32) throws -> Int {
        let status = String(decoding: try System.contents(of: "/proc/\(process)/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test("SIGTERM ends waiting loads, lets running ones finish, and allows a successor", .tags(.f79))
    func drain() throws {
        let desk = try Desk()
        let broker = try desk.startBroker()
        let running = try RawSource(at: desk, board: "running")
        let waiting = try RawSource(at: desk, board: "waiting")
        let runningPaste = try desk.start("paste", "--board", "running", "-t", "public.data")
        let waitingPaste = try desk.start("paste", "--board", "waiting", "-t", "public.data")
        let stream = try running.asked()
        _ = try waiting.asked()
        try running.peer.sendData(Array("begun ".utf8), stream: stream)
        _ = try desk.shell("until pasteboard status | grep -q '6 bytes'; do sleep 0.01; done")
        try System.kill(broker, SIGTERM)
        let waited = try waitingPaste.finish()
        #expect(waited.exitCode == 3 && waited.errorText.contains("shutting down"))
        #expect(try desk.startBroker() != broker)
        #expect(try desk.run("paste", "--board", "start").text == "nothing")
        try running.peer.sendData(Array("done".utf8), stream: stream, last: true)
        #expect(try runningPaste.finish().text == "begun done")
    }
}
