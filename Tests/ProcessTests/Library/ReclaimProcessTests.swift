import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Publications and watches of the library when its broker is killed.
@Suite(.processes)
struct ReclaimProcessTests {
    private func pasteboard(_ broker: BrokerProcess) -> Pasteboard {
        let connection = PasteboardConnection(socketPath: broker.place.socket, startsBroker: false)
        return Pasteboard(name: "notes", connection: connection)
    }

    @Test("Promises of a killed broker come back under their change count, without a change for watches", .tags(.f82))
    func killed() async throws {
        let broker = try BrokerProcess(at: try BrokerPlace())
        let (source, reader) = (pasteboard(broker), pasteboard(broker))
        let before = try await source.clear()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) { Data("image".utf8) }
        let publication = try await source.write([provider])
        var changes = reader.changes(since: before).makeAsyncIterator()
        #expect(try await changes.next()?.changeCount == publication.changeCount)

        try broker.runner.child.kill(SIGKILL)
        _ = try broker.runner.finish()
        let next = try BrokerProcess(at: broker.place)
        let other = pasteboard(next)
        var contents = try await other.contents()
        while contents.items.isEmpty { contents = try await other.contents() }
        #expect(contents.changeCount == publication.changeCount && publication.isCurrent)
        #expect(try await contents.items[0].itemProvider.loadData(for: .png) == Data("image".utf8))
        // The first change that the watch reports is the next one.
        let written = try await other.write("newer").changeCount
        #expect(try await changes.next()?.changeCount == written)
        #expect(try await publication.outcome() == .replaced)
        for pasteboard in [source, reader, other] { await pasteboard.connection.close() }
        try next.end()
    }
}
