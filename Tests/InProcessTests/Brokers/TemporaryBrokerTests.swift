import FoundationEssentials
import Glibc
import PasteboardBroker
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// The broker that programs get for their tests.
@Suite(.inProcess)
struct TemporaryBrokerTests {
    @Test("Two parties of a test have a connection each, and the source can end alone")
    func parties() async throws {
        try await Broker.withTemporary { broker in
            let (source, other) = (broker.connect(groups: ["a"]), broker.connect())
            let destination = Pasteboard(name: .general, connection: other)
            try await Pasteboard(name: .general, connection: source).write([.text("promised")])
            #expect(try await destination.string == "promised")
            await source.close()
            try await eventually("the end of the source") { try await destination.string == nil }
            let third = PasteboardConnection(socketPath: broker.socketPath, startsBroker: false)
            try await Pasteboard(name: .general, connection: third).write("kept")
            #expect(try await destination.string == "kept")
        }
    }

    @Test("Promises come back after a crash and after a restart of the broker, and kept bytes do not")
    func ends() async throws {
        try await Broker.withTemporary { broker in
            let source = broker.connect()
            let publication = try await Pasteboard(name: "promised", connection: source).write([.text("promised")])
            let other = broker.connect()
            try await Pasteboard(name: "kept", connection: other).write("kept")
            await other.close()
            for crashes in [true, false] {
                if crashes { try await broker.crash() }
                try await broker.restart()
                let destination = broker.connect()
                try await eventually("the return of the promise") {
                    try await Pasteboard(name: "promised", connection: destination).string == "promised"
                }
                #expect(try await Pasteboard(name: "kept", connection: destination).contents().items.isEmpty)
            }
            #expect(publication.isCurrent)
        }
    }

    @Test("The broker logs to the test, and its socket is found below a long directory")
    func longDirectory() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let long = try directory.makeDirectory(String(repeating: "x", count: 120))
            try System.setEnvironment("TMPDIR", to: long)
            try await Broker.withTemporary { broker in
                guard broker.socketPath.hasPrefix("/tmp/pasteboard-") else { exit(2) }
                let pasteboard = Pasteboard(name: .general, connection: broker.connect())
                try await pasteboard.write("a")
                guard try await pasteboard.string == "a", broker.log.isEmpty else { exit(3) }
            }
        }
    }
}
