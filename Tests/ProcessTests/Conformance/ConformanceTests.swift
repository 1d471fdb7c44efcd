import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard-conformance`, with brokers that the test plays, and with clients in Python.
@Suite(.processes) struct ConformanceTests {
    /// A time that no answer needs.
    private static let patient = "600000"

    private let desk: Desk

    init() throws {
        desk = try Desk(.socket)
        System.ignoreBrokenPipes()
    }

    /// The lines about rules that are broken.
    private func failures(_ finished: ProcessRunner.Finished) -> [Substring] {
        finished.text.split(separator: "\n").filter { $0.hasPrefix("FAILED") }
    }

    private func run(_ arguments: String...) throws -> ProcessRunner.Finished {
        try desk.shell("pasteboard-conformance \(arguments.map { "'\($0)'" }.joined(separator: " "))")
    }

    /// Answers a hello and lists, in frames of another version.
    private static func answer(_ frame: ScriptedPeer.Frame, _ peer: ScriptedPeer) throws {
        var encoder = FrameMemory()
        switch frame.kind {
        case .hello:
            var welcome = Welcome()
            (welcome.version, welcome.epoch) = (1, 77)
            encoder.append(welcome, stream: 0)
        case .list: encoder.append(End(), stream: frame.stream)
        default: return
        }
        var bytes = encoder.bytes
        bytes[7] = 9
        try peer.write(bytes)
    }

    @Test("Each difference is reported once, with its place, its step and the frames, and no rule is left out")
    func wrongBroker() throws {
        for options in [[], ["--json"]] {
            // The first connection is the one that looks for the broker, and the second one that of the first exchange.
            let path = desk.directory["wrong\(options.count)"]
            let broker = try WrongBroker(at: path, serving: 2, Self.answer)
            let finished = try desk.shell(
                "pasteboard-conformance --broker \(broker.path) --timeout \(Self.patient) \(options.joined())"
            )
            #expect(finished.exitCode == 1)
            let end = "expected welcome, got the end of the connection"
            #expect(finished.text.contains(end) && finished.text.contains("step 2 (line "))
            #expect(
                finished.text.contains(
                    "A client connects: welcome #0 version: 1, epoch: 77, version 9 has the version 9"
                )
            )
            guard options.isEmpty else {
                #expect(finished.text.contains(#""result":"failed""#))
                continue
            }
            #expect(failures(finished).contains { $0.hasPrefix("FAILED W6 (") })
            #expect(failures(finished).contains { $0.hasPrefix("FAILED F5 (") })
            #expect(finished.text.contains("\n    client -> hello #0 minimum_version: 1, "))
            let title = "A commit without an item fails the write"
            #expect(finished.text.split(separator: "\n").count { $0.contains(title) } == 1)
        }
    }

    @Test("A broker that does not answer the first client is asked once, and the rest is reported as not tested")
    func silentBroker() throws {
        let broker = try WrongBroker(at: desk.directory["silent"]) { _, _ in }
        let finished = try run("--broker", broker.path, "--timeout", "1")
        #expect(finished.exitCode == 1)
        let text = "expected welcome, but nothing came within 1 ms"
        #expect(finished.text.split(separator: "\n").count { $0.hasSuffix(text) } == 1)
        #expect(finished.text.contains("\n- S11 not tested: a client cannot connect\n"))
    }

    @Test("A broker that ends is reported once")
    func endedBroker() throws {
        let path = desk.directory["ended"]
        let broker = try WrongBroker(at: path) { frame, peer in
            try Self.answer(frame, peer)
            guard frame.kind == .clear else { return }
            unlink(path)
            peer.close()
        }
        let finished = try run("--broker", broker.path, "--timeout", Self.patient)
        #expect(finished.exitCode == 1)
        #expect(finished.text.contains("\n- S11 not tested: the broker has ended: "))
        #expect(finished.text.split(separator: "\n").count { $0.contains(".exchange:") } == 2)
    }

    @Test(
        "The programs in Python keep every rule that can be tested of a client",
        .enabled(if: ForeignPrograms.areAvailable, Comment(rawValue: ForeignPrograms.needs))
    )
    func python() throws {
        let programs = try ForeignPrograms(at: desk)
        let finished = try programs.conformance()
        #expect(finished.exitCode == 0 && failures(finished).isEmpty, "\(finished.text)")
        for rule in ["ok C10 (", "ok S9 (", "ok S11 (", "ok L4 (", "ok O3 ("] { #expect(finished.text.contains(rule)) }
    }
}
