import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The commands and the sample programs with a broker that sends anything. Each ends by itself, with an error that
/// shows no control character.
@Suite(.processes) struct MaliciousBrokerTests {
    /// The way in which the broker answers a request.
    enum Malice: String, CaseIterable {
        case harmfulErrors
        case endlessAnswers
        case hugeNumbers
        case unknownStreams
        case halfAnswers

        func answer(_ frame: ScriptedPeer.Frame, to peer: ScriptedPeer) throws {
            let stream = frame.stream
            switch (self, frame.kind) {
            // Items and bytes are answered together with their commit.
            case (_, .item), (_, .data), (_, .hello), (_, .credit), (_, .begin), (_, .cancel), (_, .error): break
            case (.unknownStreams, _):
                try peer.send(End(), stream: .max)
            case (.halfAnswers, _):
                var encoder = FrameMemory()
                encoder.append(Failure(.refused, "never read"), stream: stream)
                try peer.write(encoder.bytes.dropLast())
                peer.close()
            case (.endlessAnswers, .list):
                try peer.send(Contents.malicious, stream: stream)
                while true { try peer.send(Item.malicious, stream: stream) }
            case (.endlessAnswers, .status):
                try peer.sendEndlessStatus(on: stream)
            case (.endlessAnswers, .load):
                try peer.send(Answer(), stream: stream)
                while true { try peer.send(Answer(), stream: stream) }
            case (.hugeNumbers, .list):
                try peer.send(Contents.malicious, stream: stream)
                try peer.send(Item.malicious, stream: stream)
                try peer.send(End(), stream: stream)
            case (.hugeNumbers, .load):
                var answer = Answer()
                answer.type = "public.utf8-plain-text"
                answer.suggestedName = "../\u{1B}[2J"
                (answer.byteCount, answer.itemCount) = (1 << 63, .max)
                try peer.send(answer, stream: stream)
                try peer.sendData(Array("abc".utf8), stream: stream, last: true)
            case (.hugeNumbers, .status):
                try peer.send(StatusEntry.malicious, stream: stream)
                try peer.send(End(), stream: stream)
            default:
                var failure = Failure(.refused, "no\u{1B}]0;pwn\u{7}\u{9B}2J\u{202E}", detail: "a\u{1B}[2J\nb\u{8}")
                var source = SourceFailure()
                (source.domain, source.message, source.code) = ("d\u{1B}m", "m\u{8}", .max)
                failure.source = source
                try peer.send(failure, stream: stream)
            }
        }
    }

    private nonisolated static let programs = [
        "pasteboard paste", "pasteboard paste -o file", "pasteboard paste --into .", "pasteboard paste -t png",
        "pasteboard types", "pasteboard types --json", "pasteboard list", "pasteboard status", "pasteboard limits",
        "pasteboard status --json", "pasteboard drop --list", "pasteboard copy file", "pasteboard offer -t text=date",
        "pasteboard drag --to x file", "pasteboard drop --as x", "pasteboard clear", "pasteboard stop", "hello-source",
        "hello-destination", "hello-drag", "hello-drop", "custom-type-source", "custom-type-destination",
        "transferable-value give", "transferable-value take", "places-source", "places-target",
    ]

    /// Runs a program with a broker that answers each of its requests.
    private func run(_ line: String, with malice: Malice, at desk: Desk) throws -> ProcessRunner.Finished {
        let (program, peer) = try start(line, at: desk)
        do {
            var welcome = Welcome.standard(maximumStreams: .max)
            welcome.programVersion = "1\u{1B}[2J"
            (welcome.keptPool, welcome.keptFree) = (.max, .max)
            try peer.send(welcome, stream: 0)
            while true { try malice.answer(try peer.next(), to: peer) }
        } catch ScriptedPeerError.nothingCame {
            throw ScriptedPeerError.nothingCame
        } catch {
            // The program has closed the connection, as it should.
        }
        peer.close()
        return try program.finish()
    }

    /// Starts a program and accepts its first connection. Later ones are refused.
    private func start(_ line: String, at desk: Desk) throws -> (ProcessRunner, ScriptedPeer) {
        let words = line.split(separator: " ").map(String.init)
        let path = desk.directory["socket"]
        var listener = try ListeningSocket(path: path)
        defer { try? System.unlink(path) }
        let program = try ProcessRunner(
            try ProcessRunner.program(words[0]),
            Array(words.dropFirst()),
            environment: desk.environment,
            directory: desk.directory.path
        )
        _ = try System.poll([PollInterest(listener.raw, .readable)], milliseconds: ProcessRunner.watchdog)
        guard case .connection(let socket) = try listener.accept() else { throw ScriptedPeerError.nothingCame }
        return (program, ScriptedPeer(socket))
    }

    @Test("No command and no sample crashes, hangs or harms its terminal", arguments: Malice.allCases, programs)
    func program(malice: Malice, line: String) throws {
        System.ignoreBrokenPipes()
        let desk = try Desk(.socket)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        try desk.directory.write("text", to: "file")
        let finished = try run(line, with: malice, at: desk)
        let shown = String(decoding: finished.output + finished.errors, as: UTF8.self)
        #expect(finished.exitCode < 10, "\(shown)")
        #expect(malice == .hugeNumbers || finished.exitCode > 0, "\(shown)")
        let isHarmful = shown.unicodeScalars.contains { $0 != "\n" && $0.isHarmful }
        #expect(!isHarmful, "\(shown.debugDescription)")
        #expect(shown.count < 20_000)
        // What a failed paste has received so far is not kept.
        #expect(try desk.directory.contents(of: "file") == Array("text".utf8))
        #expect(Set(desk.directory.names()).subtracting([".config", "file", "s", "socket"]).isEmpty)
    }
}

extension Contents {
    fileprivate static var malicious: Contents {
        var contents = Contents()
        (contents.handle, contents.changeCount, contents.epoch) = (.max, .max, .max)
        (contents.itemCount, contents.ownerProcess, contents.ownerLabel) = (.max, .max, "\u{1B}[2J")
        return contents
    }
}

extension Item {
    fileprivate static var malicious: Item {
        var representation = Representation()
        representation.type = "public.utf8-plain-text"
        (representation.byteCount, representation.firstByteMilliseconds) = (1 << 63, .max)
        var item = Item()
        (item.suggestedName, item.title) = ("../\u{1B}[2J/etc/x", "\u{9B}2J\u{202E}")
        item.representations = [representation]
        (item.presentationWidth, item.presentationHeight) = (.max, .max)
        return item
    }
}

extension StatusEntry {
    fileprivate static var malicious: StatusEntry {
        var entry = StatusEntry()
        var peer = PeerStatus()
        (peer.process, peer.label, peer.publications, peer.loads) = (.max, "\u{1B}[2J", .max, .max)
        entry.peer = peer
        return entry
    }
}
