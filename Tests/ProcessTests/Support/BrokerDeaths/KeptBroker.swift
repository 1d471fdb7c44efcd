import BlockingClient
import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// A broker of one test, which the test kills and starts again.
final class KeptBroker {
    let place: BrokerPlace
    private let ledger: DeathLedger
    private var broker: BrokerProcess

    init(_ ledger: DeathLedger) throws {
        self.ledger = ledger
        place = ledger.socket
        broker = try BrokerProcess(at: place)
    }

    /// Kills the broker, and starts the next one. Clients wait with their connections meanwhile.
    func kill() throws {
        try ledger.isListening.withLock { _ in
            try broker.runner.child.kill(SIGKILL)
            #expect(try broker.runner.finish().exitCode == 128 + SIGKILL)
            broker = try BrokerProcess(at: place)
        }
    }

    /// A client in the test's own process.
    func connect() throws -> BlockingConnection {
        try place.connection()
    }

    /// The number of files with contents in the kept directory.
    func files() throws -> Int {
        let path = try #require(try connect().welcome().keptDirectory)
        let directory = DescriptorBox(try System.open(path, .directory))
        let names = try System.entries(of: directory.raw).map(\.description)
        return names.count { $0.hasPrefix(KeptDirectory.Prefix.board) }
            + names.count { $0.hasPrefix(KeptDirectory.Prefix.representation) }
    }

    /// Ends the broker by SIGTERM, which has to be successful.
    func end() throws {
        try broker.end()
    }

    /// Kills the broker for good.
    func abandon() {
        try? broker.runner.child.kill(SIGKILL)
    }
}
