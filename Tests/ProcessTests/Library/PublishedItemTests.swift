import BlockingClient
import FoundationEssentials
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// The item that a program publishes, as the broker lists it.
@Suite(.processes) struct PublishedItemTests {
    @Test(
        "The library and the command line publish the same item for the same file",
        arguments: ["picture.png", "report.pdf", "notes.txt", "data.example-unknown", "README", "tree"]
    )
    func same(name: String) async throws {
        let desk = try Desk(.socket)
        if name == "tree" {
            _ = try desk.directory.makeDirectory(name)
        } else {
            try desk.directory.write("some text\n", to: name)
        }
        let path = desk.directory[name]
        let copy = try desk.run("copy", path)
        try #require(copy.exitCode == 0, "\(copy.errorText)")
        let copied = try Self.items(at: desk)
        // The command line keeps the bytes, so the broker knows more about them than about a promise.
        let expected = copied.map { item in
            var item = item
            // The command line records where the file is.
            item.teamData = nil
            for index in item.representations.indices {
                item.representations[index].provision = .promised
                item.representations[index].byteCount = nil
                item.representations[index].content = nil
            }
            return item
        }

        let connection = PasteboardConnection(socketPath: desk.directory["socket"], startsBroker: false)
        let provider = try #require(ItemProvider(contentsOf: URL(filePath: path)))
        let publication = try await Pasteboard(name: .general, connection: connection).write([provider])
        let written = try Self.items(at: desk)
        withExtendedLifetime(publication) {}
        #expect(written == expected)
        await connection.close()
    }

    @Test("A type of the table is published without supertypes, another type with all its supertypes")
    func supertypes() throws {
        #expect(Representation(of: .png).supertypes == [])
        let type = UniformType(exportedAs: "com.example.published-item", conformingTo: .json)
        let closure = Representation(of: type).supertypes
        #expect(closure.contains("public.json"))
        #expect(closure.contains("public.data"))
    }

    private static func items(at desk: Desk) throws -> [Item] {
        var environment = desk.environment
        environment["PASTEBOARD_SOCKET"] = desk.directory["socket"]
        let connector = try BrokerConnector(environment: ProcessEnvironment(environment))
        let connection = try BlockingConnection(adopting: connector.connect(), path: connector.socket.path)
        return try connection.listing().items
    }
}
