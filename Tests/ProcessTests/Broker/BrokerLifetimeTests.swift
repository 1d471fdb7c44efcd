import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The start and the end of a broker, with real processes and a socket path that is used by others too.
@Suite(.processes) struct BrokerLifetimeTests {
    @Test(
        "SIGTERM ends waiting loads and lets running ones finish beside a successor; a second one ends it at once",
        .tags(.f79)
    )
    func signals() throws {
        let broker = try BrokerProcess(at: try BrokerPlace(), limits: ["drain=10m"])
        let flowing = try broker.source("board=flowing")
        let waiting = try broker.source("board=waiting")
        let kept = try broker.source("board=kept")
        let loads = try ["flowing", "waiting", "kept"].map { try broker.destination("board=\($0)") }
        for source in [flowing, waiting, kept] { try source.expect("asked") }
        for source in [flowing, kept] { try source.order("send 1", expecting: "sent 1") }
        for load in [loads[0], loads[2]] { try load.wait(for: "bytes 1") }

        try broker.runner.child.kill(SIGTERM)
        #expect(try loads[1].outcome() == "failed broker-stopped")
        try waiting.expect("cancelled")
        let successor = try BrokerProcess(at: broker.place)
        try successor.expectService()
        try flowing.order("send 299999", expecting: "sent 300000")
        try flowing.order("end", expecting: "ended")
        #expect(try loads[0].outcome() == "done 300000 intact")

        try broker.runner.child.kill(SIGTERM)
        #expect(try loads[2].outcome() == "failed broker-stopped")
        try kept.expect("cancelled")
        for source in [flowing, waiting, kept] { try source.expect("lost broker-stopped") }
        try broker.expectEnd()
        // The first broker has not removed its successor's socket.
        try successor.expectService()
        try successor.end()
        #expect(broker.place.directory.names(in: "d").contains("socket") == false)
    }

    @Test("A broker reports to the service manager that started it when clients can connect")
    func notifies() throws {
        let place = try BrokerPlace()
        let path = place.directory["manager"]
        let manager = try Self.datagrams(at: path)
        let broker = try BrokerProcess(at: place, after: "export NOTIFY_SOCKET=\(path)")
        #expect(try System.read(manager.raw, upTo: 100) == Array("READY=1".utf8))
        try broker.end()
    }

    /// A socket at which a service manager receives messages.
    private static func datagrams(at path: String) throws -> DescriptorBox {
        let type = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let manager = DescriptorBox(OwnedDescriptor(adopting: socket(AF_UNIX, type, 0)))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let outcome = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(manager.raw, $0, size) }
        }
        try #require(outcome == 0)
        return manager
    }

    @Test(
        "A listening socket from the service manager is served, its path is not changed, and no other broker takes it over",
        .tags(.f75)
    )
    func inherited() throws {
        let place = try BrokerPlace()
        let listening = try ListeningSocket(path: place.socket)
        let broker = try BrokerProcess(
            at: place,
            after: "export LISTEN_PID=$$ LISTEN_FDS=1; exec 3<&0 </dev/null",
            input: listening.raw
        )
        try broker.expectService()
        let arguments = try place.arguments + ["--replace"]
        let refused = try ProcessRunner(arguments[0], Array(arguments[1...]), environment: place.environment).finish()
        #expect(refused.exitCode == 3 && refused.errorText.contains("a service manager"), "\(refused.errorText)")
        try broker.expectService()
        try broker.end()
        #expect(place.directory.names(in: "d") == ["socket"])
    }

    @Test("Twenty clients that find no broker start one", .tags(.f69))
    func race() throws {
        let desk = try Desk(.socket)
        defer { withExtendedLifetime(desk) {} }
        let connector = try BrokerConnector(environment: ProcessEnvironment(desk.environment))
        let outcomes = Lock<[Result<UInt64, Failure>]>([])
        let threads = try (0..<20).map { number in
            try SystemThread(name: "client \(number)") {
                let outcome = Result { () throws(Failure) -> UInt64 in
                    let connection = try BlockingConnection(adopting: connector.connect(), path: connector.socket.path)
                    connection.io.timeouts = .endless
                    return try connection.welcome().epoch ?? 0
                }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        for thread in threads { thread.join() }
        let epochs = try outcomes.withLock { $0 }.map { try $0.get() }
        #expect(epochs.count == 20)
        #expect(Set(epochs).count == 1)
    }
}
