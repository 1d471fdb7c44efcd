import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.inProcess)
struct ConnectionTests {
    /// A connection to brokers whose part the test plays, each on its own thread. Each broker starts when the one
    /// before it has ended.
    private func connection(_ scripts: [@Sendable (ScriptedPeer) throws -> Void]) -> PasteboardConnection {
        let count = Counter()
        return PasteboardConnection { _ in
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            let script = scripts[count.increment() - 1]
            try SystemThread(name: "broker") {
                do {
                    try script(peer)
                } catch {
                    Issue.record(error)
                }
            }.detach()
            return BrokerSocket(descriptor: own, path: "test")
        }
    }

    @Test("a broker that violates the protocol ends all open requests, and the next request opens a new connection")
    func violation() async throws {
        let connection = connection([
            { peer in
                try peer.welcome()
                _ = try peer.next(.list)
                try peer.sendData([1, 2, 3], stream: 77)
            },
            { peer in
                try peer.welcome()
                try peer.list(nil, on: try peer.next(.list).stream)
            },
        ])
        let pasteboard = Pasteboard(name: .general, connection: connection)
        await expectError(.protocolViolation) { try await pasteboard.contents() }
        #expect(try await pasteboard.contents().items.isEmpty)
    }

    @Test("if a broker dies before it has welcomed a connection, the request is sent to the next broker")
    func dying() async throws {
        let connection = connection([
            { _ in },
            { peer in
                try peer.welcome()
                try peer.list(nil, on: try peer.next(.list).stream)
            },
        ])
        #expect(try await Pasteboard(name: .general, connection: connection).contents().items.isEmpty)
    }

    @Test("a request fails after several brokers in a row have died")
    func allDying() async throws {
        let connection = connection(Array(repeating: { _ in }, count: 3))
        let pasteboard = Pasteboard(name: .general, connection: connection)
        let error = await expectError(.brokerUnavailable) { try await pasteboard.contents() }
        #expect(error?.message.contains("has not answered") == true)
    }

    @Test("a connection that is closed while it connects ends the request and what was connected")
    func closedWhileConnecting() async throws {
        let (isConnecting, isClosed, isEnded) = (Gate(), Semaphore(), Gate())
        let connection = PasteboardConnection { _ in
            isConnecting.open()
            isClosed.wait()
            let pair = try Socket.pair()
            let own = try System.duplicate(pair.first.raw)
            let peer = ScriptedPeer(try System.duplicate(pair.second.raw))
            try SystemThread(name: "broker") {
                while (try? peer.next()) != nil {}
                isEnded.open()
            }.detach()
            return BrokerSocket(descriptor: own, path: "test")
        }
        let pasteboard = Pasteboard(name: .general, connection: connection)
        let request = Task { try await pasteboard.contents() }
        await isConnecting.wait()
        await connection.close()
        let error = await #expect(throws: PasteboardError.self) { try await request.value }
        #expect(error?.message == "this connection was closed")
        isClosed.signal()
        await isEnded.wait()
    }

    @Test("without a broker, a connection that may not start one reports that there is none")
    func none() async {
        let connection = PasteboardConnection(socketPath: "/nonexistent/pasteboard/socket", startsBroker: false)
        let pasteboard = Pasteboard(name: .general, connection: connection)
        await expectError(.brokerUnavailable) { try await pasteboard.contents() }
    }
}
