import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard offer` and peers that the test plays.
@Suite(.processes) struct CommandLineOfferTests {
    @Test(
        "A load whose destination grants exactly the bytes that the command prints ends, although no credit is left",
        arguments: [("true", 0), ("echo hello", 6), ("head -c 100000 /dev/zero", 100_000)]
    )
    func exactCredit(command: String, count: Int) throws {
        let desk = try Desk()
        let offer = try desk.offer(["-t", "text=\(command)"])
        let peer = try ScriptedPeer(greeting: desk, label: "raw")
        var load = Load()
        load.credit = UInt64(count)
        try peer.send(load, stream: 1)
        var (received, isOver) = (0, false)
        while !isOver {
            let frame = try peer.next()
            if frame.kind == .data { received += frame.payload.count }
            isOver = frame.stream == 1 && (frame.kind == .end || frame.header.flags.contains(.last))
        }
        #expect(received == count)
        try desk.run("clear")
        #expect(try offer.finish().exitCode == 0)
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
}
