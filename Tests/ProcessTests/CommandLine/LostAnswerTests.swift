import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Commands of one request whose broker ends before it has answered. The test plays that broker and the next one.
@Suite(.processes) struct LostAnswerTests {
    /// The end of the first broker.
    enum Loss: CaseIterable {
        /// The broker refuses requests, as one that was stopped and still finishes its loads, while another one may run
        /// already. During a takeover, a broker refuses writes that have not arrived completely.
        case refusal
        /// The broker closes the connection without an answer, as one that is killed. During a takeover, a broker
        /// closes connections without a running load.
        case crash
        /// The broker announces its end, and closes the connection without an answer.
        case stop
    }

    @Test(
        "A request that is refused by a broker that ends is made once more",
        .tags(.f90),
        arguments: [
            "list", "types", "info", "status", "limits", "paste", "clear", "clear --if-change 1", "board release x",
            "drag --to x --wait 100ms file",
            "copy file", "copy --if-change 1 file", "copy photo.png", "copy -t png photo",
        ]
    )
    func refused(_ line: String) throws {
        try expectRepetition(of: line, after: .refusal)
    }

    @Test(
        "A request whose connection is lost is made once more, if it changes nothing",
        .tags(.f82),
        arguments: [
            "list", "types", "info", "status", "limits", "paste", "paste -o out", "paste --json",
            "drag --to x --wait 100ms file",
        ]
    )
    func lost(_ line: String) throws {
        try expectRepetition(of: line, after: .crash)
    }

    /// Expects a second request, whose answer the command reports.
    private func expectRepetition(of line: String, after loss: Loss) throws {
        let (finished, requests) = try play(line, loss)
        #expect(requests == 2)
        #expect(finished.exitCode < 2, "\(finished.errorText)")
    }

    @Test(
        "A request that may have been carried out is not made again",
        .tags(.f82),
        arguments: ["clear", "board release x", "stop", "copy file", "copy --if-change 1 file"]
    )
    func unknown(_ line: String) throws {
        let (finished, requests) = try play(line, .crash)
        #expect(requests == 1)
        #expect(finished.exitCode == 3, "\(finished.errorText)")
        #expect(finished.errorText.contains("which may have been carried out"), "\(finished.errorText)")
    }

    @Test("A request is made again only once")
    func once() throws {
        let (finished, requests) = try play("list", .crash, times: 2)
        #expect(requests == 2)
        #expect(finished.exitCode == 3 && finished.errorText.contains("was lost"), "\(finished.errorText)")
    }

    @Test(
        "The contents of one pasteboard are listed once they have come back to the next broker",
        .tags(.f82),
        arguments: ["types", "info"],
        Loss.allCases
    )
    func returned(_ line: String, after loss: Loss) throws {
        let finished = try playReturn(line, after: loss, of: 1)
        #expect(finished.exitCode == 0, "\(finished.errorText)")
    }

    @Test("A pasteboard whose contents have not come back to the next broker in time is empty")
    func notReturned() throws {
        let finished = try playReturn("types", after: .crash, of: nil)
        #expect(finished.exitCode == 1 && finished.errorText.contains("is empty"), "\(finished.errorText)")
    }

    @Test(
        "A command that comes too early after a crash waits for contents that may come back",
        .tags(.f82),
        arguments: ["types", "info", "paste", "paste --into .", "paste -o out", "paste --if-change 5"],
        [true, false]
    )
    func early(_ line: String, returns: Bool) throws {
        let played = try PlayedBroker(line)
        let peer = try #require(try played.accept(settling: 600_000))
        var watched: UInt64?
        var isThere = false
        while let frame = try? peer.next() {
            switch frame.kind {
            case .watch:
                watched = try frame.decoded(as: Watch.self).sinceEpoch
                try peer.send(Registered(), stream: frame.stream)
                isThere = returns
                var change = Change()
                if returns { change.handle = 1 }
                try peer.send(change, stream: frame.stream)
            case .list:
                var contents = Contents()
                if isThere { (contents.handle, contents.changeCount) = (1, 5) }
                try peer.send(contents, stream: frame.stream)
                if isThere {
                    var (item, representation) = (Item(), Representation())
                    (representation.type, representation.provision) = ("public.utf8-plain-text", .promised)
                    item.representations = [representation]
                    try peer.send(item, stream: frame.stream)
                }
                try peer.send(End(), stream: frame.stream)
            case .load where isThere:
                var answer = Answer()
                answer.type = "public.utf8-plain-text"
                try peer.send(answer, stream: frame.stream)
                try peer.sendData(Array("text".utf8), stream: frame.stream, last: true)
            case .load:
                let isConditional = try frame.decoded(as: PasteboardWire.Load.self).ifChangeCount != nil
                try peer.send(Failure(isConditional ? .superseded : .nothingHere, "no"), stream: frame.stream)
            default: break
            }
        }
        let finished = try played.finish()
        #expect(finished.exitCode == (returns ? 0 : line.contains("--if-change") ? 6 : 1), "\(finished.errorText)")
        #expect(watched != nil && watched != 7)
    }

    /// Runs a command that lists a pasteboard, which is empty at first at the next broker.
    ///
    /// - Parameter handle: the number of the contents that come back then; nil if none do.
    private func playReturn(
        _ line: String,
        after loss: Loss,
        of handle: UInt64?
    ) throws -> ProcessRunner.Finished {
        let played = try PlayedBroker(line)
        let peer = try #require(try played.accept())
        try lose(try peer.next(.list), of: peer, loss)
        let next = try #require(try played.accept(settling: 600_000))
        try answer(try next.next(.list), to: next, handle: nil)
        let watch = try next.next(.watch).stream
        try next.send(Registered(), stream: watch)
        var change = Change()
        change.handle = handle
        try next.send(change, stream: watch)
        try answer(try next.next(.list), to: next, handle: handle)
        return try played.finish()
    }

    // MARK: Waiting

    /// The answer of the played broker to a load.
    enum Load {
        case empty
        case crash
        case text
    }

    @Test(
        "A waiting paste continues after crashes before its watch is registered and during a load, and may be quiet",
        arguments: [true, false],
        ["", " --quiet"]
    )
    func waiting(losesWatch: Bool, option: String) throws {
        var loads: [Load] = [.empty, .crash, .text]
        var losesWatch = losesWatch
        var watch: UInt64 = 0
        let played = try PlayedBroker("paste --wait\(option)")
        while let peer = try played.accept() {
            while let frame = try? peer.next() {
                switch frame.kind {
                case .watch where losesWatch:
                    losesWatch = false
                    peer.close()
                case .watch:
                    watch = frame.stream
                    try peer.send(Registered(), stream: watch)
                case .list:
                    try peer.send(Contents(), stream: frame.stream)
                    try peer.send(End(), stream: frame.stream)
                case .load:
                    switch loads.removeFirst() {
                    case .empty:
                        try peer.send(Failure(.nothingHere, "empty"), stream: frame.stream)
                        var change = Change()
                        change.changeCount = 7
                        try peer.send(change, stream: watch)
                    case .crash: peer.close()
                    case .text:
                        var answer = Answer()
                        answer.type = "public.utf8-plain-text"
                        try peer.send(answer, stream: frame.stream)
                        try peer.sendData(Array("text".utf8), stream: frame.stream, last: true)
                    }
                default: break
                }
            }
        }
        let finished = try played.finish()
        #expect(finished.exitCode == 0, "\(finished.errorText)")
        #expect(finished.errorText.isEmpty == !option.isEmpty, "\(finished.errorText)")
        #expect(loads.isEmpty)
    }

    // MARK: Offering

    @Test(
        "An offer that the next broker refuses is written again if yet another one runs",
        .tags(.f90),
        arguments: [true, false]
    )
    func offer(otherRuns: Bool) throws {
        let played = try PlayedBroker("offer -t text=date")
        var writes = 0
        // Held, because a broker that refuses a request does not close the connection.
        var peers: [ScriptedPeer] = []
        while let peer = try played.accept() {
            peers.append(peer)
            while let frame = try? peer.next() {
                switch frame.kind {
                case .list: try answer(frame, to: peer, handle: nil)
                case .commit:
                    writes += 1
                    if writes == 2, !otherRuns { played.leave() }
                    if writes == 2 { try lose(frame, of: peer, .refusal) } else { try answer(frame, to: peer) }
                    if writes == 1 { peer.close() }
                    if writes == 3 { try peer.send(End(), stream: frame.stream) }
                default: break
                }
            }
        }
        let finished = try played.finish()
        #expect(writes == (otherRuns ? 3 : 2))
        #expect(finished.exitCode == (otherRuns ? 0 : 3), "\(finished.errorText)")
    }

    @Test("A new offer that is refused is written once more, and one without an answer is not", .tags(.f82, .f90))
    func newOffer() throws {
        for loss in [Loss.refusal, .crash] {
            let played = try PlayedBroker("offer -t text=date")
            var writes = 0
            var peers: [ScriptedPeer] = []
            while let peer = try played.accept() {
                peers.append(peer)
                try answer(try peer.next(.list), to: peer, handle: nil)
                let commit = try peer.next(.commit)
                writes += 1
                if writes == 1 { try lose(commit, of: peer, loss) } else { try answer(commit, to: peer) }
                if writes == 2 { try peer.send(End(), stream: commit.stream) }
            }
            let finished = try played.finish()
            #expect(writes == (loss == .refusal ? 2 : 1))
            #expect(finished.exitCode == (loss == .refusal ? 0 : 3), "\(finished.errorText)")
            #expect(finished.errorText.contains("which may have been carried out") == (loss == .crash))
        }
    }

    @Test("A hand-over goes on if the broker refuses to list what it keeps already")
    func unlisted() throws {
        let played = try PlayedBroker("offer --keep-on-exit -t text=date")
        let peer = try #require(try played.accept())
        try answer(try peer.next(.list), to: peer, handle: nil)
        try answer(try peer.next(.commit), to: peer)
        try played.command.waitForErrors(containing: "offering ")
        try played.command.child.kill(SIGTERM)
        try peer.send(Failure(.limitExceeded, "too many"), stream: try peer.next(.list).stream)
        try answer(try peer.next(.commit), to: peer)
        let finished = try played.finish()
        #expect(finished.exitCode == 0, "\(finished.errorText)")
        #expect(finished.errorText.hasSuffix("pasteboard: offer: kept public.utf8-plain-text\n"))
    }

    // MARK: One request

    /// Runs a command, and returns the number of its requests.
    private func play(_ line: String, _ loss: Loss, times: Int = 1) throws -> (ProcessRunner.Finished, Int) {
        let played = try PlayedBroker(line)
        var requests = 0
        // Held, because a broker that refuses a request does not close the connection.
        var peers: [ScriptedPeer] = []
        while let peer = try played.accept() {
            peers.append(peer)
            let isEnding = requests < times
            let request = try request(of: peer, isEnding && loss == .refusal)
            requests += 1
            guard isEnding else {
                try answer(request, to: peer)
                // When its time is over, a wait asks for the destinations once more.
                while let next = try? peer.next() { if next.kind == .status { try answer(next, to: peer) } }
                continue
            }
            try lose(request, of: peer, loss)
        }
        return (try played.finish(), requests)
    }

    /// Ends the first broker at a request.
    private func lose(_ request: ScriptedPeer.Frame, of peer: ScriptedPeer, _ loss: Loss) throws {
        switch loss {
        case .refusal:
            let failure = Failure(.brokerRestarted, "the broker is shutting down; try again")
            try peer.send(failure, stream: request.stream)
        case .crash: peer.close()
        case .stop:
            try peer.send(Failure(.brokerStopped, "the broker was stopped"), stream: 0)
            peer.close()
        }
    }

    /// Reads frames up to the one that completes a request, or with `takesFirst` up to its first one.
    private func request(of peer: ScriptedPeer, _ takesFirst: Bool) throws -> ScriptedPeer.Frame {
        while true {
            let frame = try peer.next()
            switch frame.kind {
            case .write, .item, .data: if takesFirst { return frame }
            // A wait for a destination watches, and then asks which there are.
            case .hello, .watch: break
            default: return frame
            }
        }
    }

    /// - Parameter handle: the number of the contents of a pasteboard that is listed; nil if it is empty.
    private func answer(_ request: ScriptedPeer.Frame, to peer: ScriptedPeer, handle: UInt64? = 1) throws {
        switch request.kind {
        case .list:
            var contents = Contents()
            contents.handle = handle
            try peer.send(contents, stream: request.stream)
            try peer.send(End(), stream: request.stream)
        case .status: try peer.send(End(), stream: request.stream)
        case .commit: try peer.send(Committed(), stream: request.stream)
        case .clear:
            try peer.send(Committed(), stream: request.stream)
            try peer.send(End(), stream: request.stream)
        case .load:
            var answer = Answer()
            answer.type = "public.utf8-plain-text"
            try peer.send(answer, stream: request.stream)
            try peer.sendData(Array("text".utf8), stream: request.stream, last: true)
        default: try peer.send(Failure(.nothingHere, "empty"), stream: request.stream)
        }
    }
}

/// A command, and a broker that a test plays for it.
private final class PlayedBroker {
    private let desk: Desk
    private var listener: ListeningSocket
    let command: ProcessRunner
    private let output: OwnedDescriptor

    init(_ line: String) throws {
        System.ignoreBrokenPipes()
        desk = try Desk(.socket)
        desk.environment["PASTEBOARD_AUTOSTART"] = "0"
        try desk.directory.write("text", to: "file")
        // The types of these files are determined without reading them whole.
        for name in ["photo.png", "photo"] { try desk.directory.write(Desk.bytes(20_000), to: name) }
        listener = try ListeningSocket(path: desk.directory["socket"])
        let pipe = try System.pipe()
        command = try ProcessRunner(
            try ProcessRunner.program("pasteboard"),
            line.split(separator: " ").map(String.init),
            environment: desk.environment,
            directory: desk.directory.path,
            standardOutput: pipe.second.raw
        )
        output = pipe.keepingFirst()
    }

    /// The next connection, welcomed; nil once the command has written its output or has ended.
    ///
    /// - Parameter settling: the milliseconds in which contents of an earlier broker may come back.
    func accept(settling: UInt64? = nil) throws -> ScriptedPeer? {
        let interests = [PollInterest(listener.raw, .readable), PollInterest(output.raw, .readable)]
        let ready = try System.poll(interests, milliseconds: ProcessRunner.watchdog)
        guard !ready[0].isEmpty, case .connection(let socket) = try listener.accept() else { return nil }
        let peer = ScriptedPeer(socket)
        var welcome = Welcome.standard()
        welcome.settlingMilliseconds = settling
        try peer.send(welcome, stream: 0)
        return peer
    }

    /// Removes the socket, as a broker does that ends.
    func leave() {
        try? System.unlink(desk.directory["socket"])
    }

    func finish() throws -> ProcessRunner.Finished {
        // No broker is played for the `stop` of the desk.
        leave()
        return try command.finish()
    }
}
