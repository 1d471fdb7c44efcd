import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// `pasteboard-conformance`, with brokers and clients that keep the rules, and with ones that do not.
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

    private func start(_ arguments: String...) throws -> ProcessRunner {
        try ProcessRunner(
            try ProcessRunner.program("pasteboard-conformance"),
            arguments,
            environment: desk.environment,
            directory: desk.directory.path
        )
    }

    private func run(_ arguments: String...) throws -> ProcessRunner.Finished {
        try desk.shell("pasteboard-conformance \(arguments.map { "'\($0)'" }.joined(separator: " "))")
    }

    // MARK: Brokers

    @Test("The broker keeps every rule that can be tested, and the others are not called ok")
    func broker() throws {
        try BrokerProcess.run { broker in
            let socket = broker.place.socket
            let finished = try run("--broker", socket, "--timeout", Self.patient)
            #expect(
                finished.exitCode == 0 && failures(finished).isEmpty && finished.errorText == "",
                "\(finished.text)"
            )
            let lines = finished.text.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("ok S11 (") } && lines.contains { $0.hasPrefix("ok U4 (") })
            #expect(lines.contains("- P1 not tested from this side"))
            // The kit says which part of a rule it does not test.
            #expect(
                lines.contains {
                    $0.hasPrefix("ok Y22 (") && $0.hasSuffix("; not tested: the 2 s after the start of the broker)")
                }
            )
            #expect(lines.last?.contains(" rules ok, 0 failed, ") == true)
            // Nothing is left on the boards.
            #expect(try desk.shell("PASTEBOARD_SOCKET='\(socket)' pasteboard list").text.isEmpty)

            let part = try run("--broker", socket, "--timeout", Self.patient, "--rule", "Y19")
            #expect(part.exitCode == 0 && part.text == "ok Y19 (3 tests)\n1 rules ok, 0 failed, 0 not tested\n")

            let json = try run("--broker", socket, "--timeout", Self.patient, "--json")
            #expect(json.exitCode == 0 && json.text.split(separator: "\n").count == 1)
            #expect(json.text.contains(#""result":"ok","rule":"S1""#))
            #expect(json.text.contains(#"{"failures":[],"passed":0,"result":"untested","rule":"P1"}"#))
        }
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

    @Test("The tests of a rule are listed, with what is not tested of it")
    func list() throws {
        let finished = try run("--list", "--rule", "Y22")
        #expect(finished.exitCode == 0)
        let lines = finished.text.split(separator: "\n")
        #expect(
            lines.count == 2 && lines[0].hasPrefix("Reclaims.exchange:")
                && lines[0].contains(" Y22 Y11: A watch that knows")
        )
        #expect(lines[1] == "Y22 not tested: the 2 s after the start of the broker")
        #expect(try run("--list", "--rule", "P").text.split(separator: "\n").count == 4)
        let wrong = try run("--list", "--rule", "Z9")
        #expect(wrong.exitCode == 2 && wrong.errorText.contains("the protocol has no rule 'Z9'"))
    }

    @Test("Without a broker no rule is judged")
    func noBroker() throws {
        let finished = try run("--broker", desk.directory["nothing"], "--timeout", "1")
        #expect(finished.exitCode == 3 && finished.text.isEmpty)
        #expect(finished.errorText.hasPrefix("pasteboard-conformance: no broker listens at "))
    }

    // MARK: Clients

    /// Runs the kit with a shell script as the client.
    private func client(_ script: String, timeout: String = patient) throws -> ProcessRunner.Finished {
        try desk.directory.write(script, to: "client.sh")
        return try desk.shell("pasteboard-conformance --client 'sh client.sh' --timeout \(timeout)")
    }

    @Test("The command line keeps every rule that can be tested of a client")
    func commandLine() throws {
        let finished = try client(
            """
            case $1 in
            offer) cat > offered.$$; exec pasteboard offer -t "text=cat offered.$$";;
            *) exec pasteboard "$1";;
            esac
            """
        )
        #expect(finished.exitCode == 0 && failures(finished).isEmpty, "\(finished.text)")
        for rule in ["ok C10 (", "ok S7 (", "ok W3 (", "ok O3 (", "ok S1 ("] { #expect(finished.text.contains(rule)) }
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

    @Test("A client that reports success without a load breaks the rules, and one without a connection is named")
    func wrongClient() throws {
        // It takes each end of an exchange for success.
        let careless = try client("pasteboard $1; exit 0")
        #expect(careless.exitCode == 1)
        #expect(failures(careless).contains { $0.hasPrefix("FAILED C10 (") })
        #expect(
            careless.text.contains("the client ended with 0 although the exchange has failed\n    client -> hello #0 ")
        )
        let absent = try client("exit 0")
        #expect(absent.exitCode == 1 && absent.text.contains("the client did not connect"))
    }

    @Test("A client that hangs is ended, and three of them end the test")
    func hangingClient() throws {
        let finished = try client("sleep 1000", timeout: "100")
        #expect(finished.exitCode == 1)
        #expect(finished.text.contains(": the client did not end within 100 ms\n"))
        #expect(finished.text.contains(" not tested: the client did not end 3 times\n"))
    }

    @Test("A client that crashes keeps no rule by that")
    func crashingClient() throws {
        let finished = try client("ulimit -c 0; pasteboard list >&2; kill -SEGV $$")
        #expect(finished.exitCode == 1)
        for rule in ["S3", "S11", "M7", "V1", "C5", "C6", "C9", "C10", "X1", "F8", "U3"] {
            #expect(!finished.text.contains("ok \(rule) ("), "\(rule)")
        }
        // It connects, and ends before it loads.
        let early = try client("pasteboard list >&2; exit 1")
        #expect(early.text.contains("expected load, which did not come; the client ended with 1\n"))
    }

    @Test("A signal ends the test, its client and the temporary directory")
    func signal() throws {
        desk.environment["TMPDIR"] = try desk.directory.makeDirectory("t")
        _ = try desk.shell("mkfifo started")
        let command = "echo $$ >started; exec sleep 1000 #"
        let test = try start("--client", command, "--timeout", Self.patient)
        let text = try desk.shell("cat started").text
        let client = try #require(CInt(text.split(separator: "\n").joined()))
        try test.child.kill(SIGINT)
        #expect(try test.finish().exitCode == 130)
        #expect(throws: SystemError.self) { try System.kill(client, 0) }
        #expect(try desk.shell("ls t").text.isEmpty)
    }

    @Test(
        "A client that announces a frame without an end is disconnected",
        .enabled(if: ForeignPrograms.areAvailable, Comment(rawValue: ForeignPrograms.needs))
    )
    func oversizedFrame() throws {
        let finished = try client(
            """
            python3 -c 'import os, socket
            s = socket.socket(socket.AF_UNIX)
            s.connect(os.environ["PASTEBOARD_SOCKET"])
            s.sendall(bytes([255, 255, 255, 255, 1, 0, 0, 1]) + bytes(8))
            s.recv(1)'
            exit 1
            """
        )
        #expect(failures(finished).contains { $0.hasPrefix("FAILED F3 (") })
        #expect(finished.text.contains(": a frame announces 4294967295 bytes"))
    }

    @Test("A verb that a client does not support is not tested")
    func unsupported() throws {
        let finished = try client("exit 77")
        #expect(
            finished.exitCode == 0 && finished.text.contains("- O3 not tested: the client does not support offer\n")
        )
        #expect(
            finished.text.hasSuffix(
                "\n0 rules ok, 0 failed, \(finished.text.split(separator: "\n").count - 1) not tested\n"
            )
        )
    }

    @Test("The command needs one object of the test")
    func usage() throws {
        for arguments in [[], ["--broker", "a", "--client", "b"]] {
            let finished = try desk.shell("pasteboard-conformance \(arguments.joined(separator: " "))")
            #expect(
                finished.exitCode == 2
                    && finished.errorText.contains("name one of --broker SOCKET, --client COMMAND and --list")
            )
        }
        #expect(try run("--client", "a", "--timeout", "1s").exitCode == 2)
    }
}
