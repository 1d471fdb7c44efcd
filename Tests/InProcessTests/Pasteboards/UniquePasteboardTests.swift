import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

/// Pasteboards with unique names, and the removal of pasteboards.
@Suite(.inProcess)
struct UniquePasteboardTests {
    @Test("A unique pasteboard ends when its maker no longer refers to it")
    func lifetime() async throws {
        try await TestBroker.with { broker in
            let connection = broker.connect()
            var pasteboard: Pasteboard? = try await Pasteboard.unique(connection: connection)
            let name = try #require(pasteboard?.name)
            var publication = try await pasteboard?.write("a")
            pasteboard = nil
            // The publication refers to it, too.
            #expect(try await broker.pasteboard(name).load(String.self) == "a")
            let ended = publication?.changeCount
            publication = nil
            let other = broker.pasteboard(name)
            _ = try await other.nextChange(since: ended)
            #expect(try await other.contents().items.isEmpty)
        }
    }

    @Test("A released pasteboard is empty for all, its publications end, and its maker cannot use it again")
    func release() async throws {
        try await TestBroker.with { broker in
            let pasteboard = try await Pasteboard.unique(connection: broker.connect())
            let publication = try await pasteboard.write("a")
            try await pasteboard.release()
            #expect(try await publication.outcome() == .cleared)
            #expect(try await broker.pasteboard(pasteboard.name).contents().items.isEmpty)
            let error = await expectError(.nothingHere) { try await pasteboard.write("b") }
            #expect(error?.message == "this pasteboard was released")
        }
    }

    @Test("After another program has removed a unique pasteboard, its maker cannot use it again")
    func removal() async throws {
        try await TestBroker.with { broker in
            let pasteboard = try await Pasteboard.unique(connection: broker.connect())
            try await broker.pasteboard(pasteboard.name).release()
            // The end was sent before the answer to this call.
            _ = try? await Pasteboard(name: "other", connection: pasteboard.connection).contents()
            let error = await #expect(throws: PasteboardError.self) { try await pasteboard.contents() }
            #expect(error?.message == "this pasteboard was removed by another program")
        }
    }
}
