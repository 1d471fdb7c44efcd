import FoundationEssentials
import PasteboardBroker
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.inProcess)
struct EmbeddedBrokerTests {
    private struct Trouble: Error, Equatable {}

    private static var patient: Broker.Limits {
        var limits = Broker.Limits()
        limits.helloTime = .seconds(600)
        limits.firstByteTime = .seconds(600)
        limits.progressTime = .seconds(600)
        return limits
    }

    /// State that belongs to one task: it is not Sendable.
    private final class Notes {
        var lines: [String] = []
    }

    @Test("a temporary broker serves its body, has the given limits, and lets the body use its caller's state")
    func temporary() async throws {
        let notes = Notes()
        var limits = Self.patient
        limits.boardCount = 4
        let result = try await Broker.withTemporary(limits: limits) { broker in
            let connection = broker.connect()
            for name in ["a", "b"] {
                let pasteboard = Pasteboard(name: Pasteboard.Name(rawValue: name), connection: connection)
                try await pasteboard.write(name)
                notes.lines.append(try await pasteboard.load(String.self) ?? "nothing")
            }
            await expectError(.limitExceeded) { try await Pasteboard(name: "c", connection: connection).write("c") }
            return notes
        }
        #expect(result.lines == ["a", "b"])
    }

    @Test("a temporary broker ends with its body: the body's error is thrown, and open requests end")
    func ends() async throws {
        let kept = Lock<Publication?>(nil)
        await #expect(throws: Trouble()) {
            try await Broker.withTemporary(limits: Self.patient) { broker in
                let publication = try await Pasteboard(name: .general, connection: broker.connect()).write("a")
                kept.withLock { $0 = publication }
                throw Trouble()
            }
        }
        let publication = kept.withLock(\.self)
        #expect(try await publication?.outcome() == .brokerGone)
    }

    @Test("Limits can be given as text, and an invalid one is refused by its name")
    func limits() throws {
        var limits = Broker.Limits()
        limits.firstByteTime = .milliseconds(1_500)
        limits.keptPoolBytes = 1 << 20
        #expect(try Broker.Limits(["first-byte": "1500ms", "kept-pool": "1MiB"]) == limits)
        #expect(limits.firstByteTime == .milliseconds(1_500) && limits.keptPoolBytes == 1 << 20)
        limits.firstByteTime = .nanoseconds(1)
        #expect(limits.firstByteTime == .milliseconds(1))
        let error = #expect(throws: BrokerError.self) { try Broker.Limits(["no-such": "1"]) }
        #expect(error?.code == .invalidArgument && error?.message.contains("no-such") == true)
    }

    @Test("A limit that is negative, or 0 where that is of no use, is refused when a broker is made")
    func invalidLimits() throws {
        let directory = try TemporaryDirectory()
        func make(_ change: (inout Broker.Limits) -> Void) throws {
            var limits = Broker.Limits()
            change(&limits)
            _ = try Broker(socketPath: "\(directory.path)/own/socket", limits: limits)
        }
        let changes: [(name: String, change: (inout Broker.Limits) -> Void)] = [
            ("first-byte", { $0.firstByteTime = .seconds(-1) }),
            ("first-byte", { $0.firstByteTime = .zero }),
            ("drain", { $0.drainTime = .nanoseconds(-1) }),
            ("connections", { $0.connectionCount = 0 }),
            ("boards", { $0.boardCount = -1 }),
            ("transfer-pool", { $0.transferPoolBytes = 0 }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: BrokerError.self) { try make(change) }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix("limit \(name) ") == true)
        }
        try make {
            $0.drainTime = .zero
            $0.boardCount = -1
            $0.boardCount = 0
        }
    }

    @Test("A second broker at a socket is refused with a code of its own")
    func second() async throws {
        try await Broker.withTemporary { broker in
            let error = #expect(throws: BrokerError.self) { try Broker(socketPath: broker.socketPath) }
            #expect(error?.code == .alreadyRunning)
        }
    }

    @Test("A broker removes its files, whether it was run or not, but not their directory")
    func leavesNothing() async throws {
        let directory = try TemporaryDirectory()
        do {
            let broker = try Broker(socketPath: "\(directory.path)/own/socket")
            #expect(FileManager.default.fileExists(atPath: broker.socketPath))
        }
        #expect(directory.names() == ["own"] && directory.names(in: "own").isEmpty)

        let own = try directory.makeDirectory("given")
        for path in ["\(directory.path)/own/socket", "\(own)/socket"] {
            let broker = try Broker(socketPath: path)
            let serving = Task { try await broker.run() }
            let connection = PasteboardConnection(socketPath: path, startsBroker: false)
            #expect(try await Pasteboard(name: .general, connection: connection).contents().items.isEmpty)
            serving.cancel()
            try await serving.value
        }
        #expect(directory.names(in: "own").isEmpty && directory.names(in: "given").isEmpty)
    }

    @Test("a relative socket path is refused, and the error names the argument")
    func relative() async throws {
        let refused = #expect(throws: BrokerError.self) { try Broker(socketPath: "relative/s") }
        #expect(refused?.code == .invalidArgument)
        #expect(refused?.message == "the broker's socketPath is 'relative/s'; it has to be an absolute path")
        let connection = PasteboardConnection(socketPath: "relative/s")
        let error = await expectError(.invalidArgument) {
            try await Pasteboard(name: .general, connection: connection).contents()
        }
        #expect(error?.message == "the connection's socketPath is 'relative/s'; it has to be an absolute path")
    }

    @Test("a peer that the broker disconnects repeatedly gets one line in the log, without control characters")
    func logsEndedPeers() async throws {
        let directory = try TemporaryDirectory()
        let lines = Lock<[String]>([])
        let path = "\(directory.path)/own/socket"
        let broker = try Broker(socketPath: path) { line in lines.withLock { $0.append(line) } }
        let serving = Task { try await broker.run() }
        try await onThread {
            for _ in 0..<3 {
                let peer = ScriptedPeer(try Socket.connect(path: path, deadline: .max))
                var hello = Hello()
                hello.label = "a\u{1B}[2J\nb"
                try peer.send(hello, stream: 0)
                try peer.send(Welcome(), stream: 0)
                #expect(try peer.next(.error).decoded(as: Failure.self).code == .protocolViolation)
                #expect(throws: ScriptedPeerError.closed) { try peer.next() }
            }
        }
        serving.cancel()
        try await serving.value
        let own = System.processID
        #expect(
            lines.withLock(\.self) == [
                "ended \"a[2Jb\" (pid \(own)): protocol-violation: welcome must not be sent on stream 0"
            ]
        )
    }
}
