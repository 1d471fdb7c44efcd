import Glibc
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

@Suite(.processes)
struct StoppedBrokerTests {
    @Test("calls with a timeout end at it while the broker is stopped, and succeed when it continues", .tags(.f73))
    func stopped() async throws {
        let broker = try BrokerProcess(at: try BrokerPlace())
        let connection = broker.libraryConnection()
        let pasteboard = Pasteboard(name: .general, connection: connection)
        try await pasteboard.write("a")
        let other = broker.libraryConnection()
        _ = try await Pasteboard(name: .general, connection: other).contents()
        try broker.runner.child.kill(SIGSTOP)
        for connection in [connection, other] {
            let pasteboard = Pasteboard(name: .general, connection: connection)
            let error = await #expect(throws: PasteboardError.self) {
                try await pasteboard.contents(timeout: .milliseconds(100))
            }
            // Without a timeout the connection would be lost instead.
            #expect(error?.code == .timeout)
            #expect(error?.message == "the list of contents did not end within 0.1 seconds")
            await #expect(throws: PasteboardError.self) { try await pasteboard.write("b", timeout: .milliseconds(100)) }
            let wait = await #expect(throws: PasteboardError.self) {
                try await DropDestination.wait(for: "desk", upTo: .milliseconds(100), connection: connection)
            }
            #expect(wait?.code == .timeout)
        }
        try broker.runner.child.kill(SIGCONT)
        // The connections are still usable. An answer to each follows what it has sent before.
        _ = try await Pasteboard(name: .general, connection: other).contents()
        try await pasteboard.write("c")
        #expect(try await Pasteboard(name: .general, connection: other).load(String.self) == "c")
        await connection.close()
        await other.close()
        try broker.end()
    }
}
