import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct BrokerConnectorTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// An environment that names a socket and a log in the directory, and the variables.
    private func environment(_ variables: [String: String] = [:]) -> ProcessEnvironment {
        let own = ["PASTEBOARD_SOCKET": directory["socket"], "XDG_STATE_HOME": directory["state"]]
        return ProcessEnvironment(own.merging(variables) { $1 })
    }

    private func failure(_ environment: ProcessEnvironment) throws -> Failure {
        let failure = #expect(throws: Failure.self) { _ = try BrokerConnector(environment: environment).connect() }
        return try #require(failure)
    }

    @Test("A client connects to a listening broker")
    func connects() throws {
        let listener = try ListeningSocket(path: directory["socket"])
        let socket = try BrokerConnector(environment: environment()).connect()
        #expect(socket.raw > 2)
        #expect(listener.raw > 2)
    }

    @Test("A client connects again after brokers that end without an answer", arguments: [true, false])
    func endingBrokers(startsBroker: Bool) throws {
        let listener = try ListeningSocket(path: directory["socket"])
        let raw = listener.raw
        let brokers = try SystemThread(name: "brokers") {
            for number in 1...Recovery.greetings {
                _ = try? System.poll([PollInterest(raw, .readable)], milliseconds: nil)
                let peer = ScriptedPeer(OwnedDescriptor(adopting: accept(raw, nil, nil)))
                guard number == Recovery.greetings else {
                    peer.close()
                    continue
                }
                _ = try? peer.next(.hello)
                try? peer.welcome()
            }
        }
        let connector = try BrokerConnector(environment: environment())
        _ = try Loop.run { loop async throws in
            let brokers = Brokers(through: connector, on: loop, isWorthStarting: { startsBroker })
            #expect(try await brokers.connection()?.welcome.epoch == 7)
            return 0
        }
        brokers.join()
    }

    @Test("Without a broker and without auto-start the error names the path and the remedy", .tags(.f68))
    func noBroker() throws {
        let failure = try self.failure(environment(["PASTEBOARD_AUTOSTART": "0"]))
        #expect(failure.code == .brokerUnavailable)
        #expect(failure.text.contains(directory["socket"]))
        #expect(failure.text.contains("start one: pasteboard broker"))
    }

    @Test("A directory that other users may enter is not used")
    func openDirectory() throws {
        chmod(directory.path, 0o755)
        let failure = try self.failure(environment())
        #expect(failure.code == .brokerUnavailable)
        #expect(failure.text.contains("chmod 700"))
    }

    @Test("The error for a missing broker program names it", arguments: ["relative", "/no/such/program"])
    func noProgram(path: String) throws {
        let failure = try self.failure(environment(["PASTEBOARD_BROKER": path]))
        #expect(failure.code == .brokerUnavailable)
        #expect(failure.text.contains("PASTEBOARD_BROKER is '\(path)'"))
    }

    @Test(
        "A broker that exits instead of listening is reported with its status and its message",
        arguments: [true, false]
    )
    func failedStart(hasLog: Bool) throws {
        let script = try writeProgram("#!/bin/sh\necho cannot >&2\nexit 3\n")
        var variables = ["PASTEBOARD_SOCKET": directory["socket"], "PASTEBOARD_BROKER": script]
        if hasLog { variables["XDG_STATE_HOME"] = directory["state"] }
        let failure = try self.failure(ProcessEnvironment(variables))
        #expect(failure.code == .brokerUnavailable)
        #expect(failure.text.contains("status 3: cannot; \(hasLog ? "see " : "it has no log")"))
        #expect(failure.text.contains(directory["state/pasteboard/log"]) == hasLog)
    }

    @Test("A started broker has its own session, the root directory, no descriptor and no frame log of the caller")
    func surroundings() throws {
        // Shells use descriptors from 10 on for themselves.
        let body = """
            #!/bin/sh
            exec 2> "$4"
            pwd >&2
            echo "$1 $2 $3" >&2
            readlink /proc/self/fd/0 >&2
            set -- $(cat /proc/$$/stat)
            [ "$6" = "$$" ] && echo leader >&2
            [ -z "$PASTEBOARD_DEBUG" ] || echo debug >&2
            for n in 4 5 6 7 8 9; do [ -e /proc/$$/fd/$n ] && echo "open $n" >&2; done
            exit 1

            """
        let variables = [
            "PASTEBOARD_BROKER": try writeProgram(body), "PATH": "/usr/bin:/bin", "PASTEBOARD_DEBUG": "frames",
        ]
        try SocketPath(directory["state/pasteboard/log"]).prepareDirectory()
        _ = try failure(environment(variables))
        let log = String(decoding: try directory.contents(of: "state/pasteboard/log"), as: UTF8.self)
        #expect(log == "/\n--ready-fd 3 --log\n/dev/null\nleader\n")
    }

    @Test("A full log is renamed to the older one")
    func logRotation() throws {
        let log = directory["state/pasteboard/log"]
        try SocketPath(log).prepareDirectory()
        try directory.write(String(repeating: "x", count: 1 << 20 + 1), to: "state/pasteboard/log")
        #expect(LogFile.open(log) != nil)
        #expect(try System.status(at: "\(log).1")?.size == 1 << 20 + 1)
        #expect(try System.status(at: log).map { [$0.size, UInt64($0.mode)] } == [0, 0o600])
    }

    /// Writes a program by another process: a program that this one has open for writing cannot be run, and a child
    /// that another test has just started has it open, too.
    private func writeProgram(_ text: String) throws -> String {
        let text = try directory.write(text, to: "text")
        let copy = try ChildProcess(
            .init(path: "/usr/bin/install", arguments: ["-m", "700", text, directory["broker"]])
        )
        #expect(try copy.wait() == .exited(0))
        return directory["broker"]
    }
}
