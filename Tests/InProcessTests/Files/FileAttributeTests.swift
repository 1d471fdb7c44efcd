import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// A provider that was made from a file stands for that file: it has the file's name, mode and modification time.
@Suite(.inProcess)
struct FileAttributeTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func file(_ name: String) throws -> URL {
        try directory.write("#!/bin/sh\n", to: name)
        let file = try System.open(directory[name])
        try System.setMode(0o750, of: file.raw)
        try System.setModificationTime(seconds: 1_000_000_000, nanoseconds: 7, of: file.raw)
        return URL(filePath: directory[name])
    }

    private func check(_ provider: ItemProvider, isNamed name: String, hasTime: Bool = true) async throws {
        try await provider.withLoadedFile(for: .data) { loaded in
            #expect(loaded.value.lastPathComponent == name)
            let status = try #require(try System.status(at: loaded.value.path))
            #expect(status.mode == 0o750)
            #expect((status.modifiedAt == 1_000_000_000_000_000_007) == hasTime)
        }
    }

    @Test(
        "A copy has the exact name, the mode and the modification time of the file",
        arguments: ["runme", ".profile", "-x", "a."]
    )
    func copied(name: String) async throws {
        let url = try file(name)
        let provider = try #require(ItemProvider(contentsOf: url))
        #expect(provider.suggestedName == name)
        try await check(provider, isNamed: name)
        try await LoadPlace.there.with(provider) { item in
            #expect(item.suggestedName == name)
            try await check(item, isNamed: name)
        }
    }

    @Test("A copy has no permission that the file has lost since it was offered")
    func narrowed() async throws {
        let url = try file("runme")
        try await LoadPlace.there.with(try #require(ItemProvider(contentsOf: url))) { item in
            try System.setMode(0o600, of: SystemString(url.path))
            try await item.withLoadedFile(for: .data) { loaded in
                let status = try #require(try System.status(at: loaded.value.path))
                #expect(status.mode == 0o600)
            }
        }
    }

    @Test("A suggested name replaces the file's name, and gets the extension of the type")
    func renamed() async throws {
        let url = try file("runme")
        let provider = try #require(ItemProvider(contentsOf: url, contentType: .utf8PlainText))
        provider.suggestedName = ".other"
        try await LoadPlace.there.with(provider) { item in
            #expect(item.suggestedName == "other")
            try await check(item, isNamed: "other.txt")
        }
    }

    @Test("A file that a handler makes has the suggested name and its own permissions, also if the broker keeps it")
    func made() async throws {
        let url = try file("temporary")
        let provider = ItemProvider()
        provider.suggestedName = "report"
        provider.registerFileRepresentation(for: .utf8PlainText) { url }
        try await check(provider, isNamed: "report.txt", hasTime: false)
        try await TestBroker.with { broker in
            for keeps in [Pasteboard.KeptRepresentations.nothing, .everything] {
                let publication = try await broker.pasteboard().write([provider], keeps: keeps)
                let item = try #require(try await broker.pasteboard().contents().items.first)
                try await check(item.itemProvider, isNamed: "report.txt", hasTime: false)
                withExtendedLifetime(publication) {}
            }
        }
    }

    @Test("Data in shared memory becomes a private file, whatever mode memory has")
    func memory() async throws {
        let provider = ItemProvider()
        provider.registerSharedMemory(for: .utf8PlainText) { try SharedMemory(Data("text".utf8)) }
        try await provider.withLoadedFile(for: .data) { loaded in
            let status = try #require(try System.status(at: loaded.value.path))
            #expect(status.mode == 0o600)
        }
    }

    @Test("The loader can read a copy, whatever mode the file has", .enabled(if: System.userID == 0, "needs root"))
    func unreadable() async throws {
        let url = try self.file("closed")
        let file = try System.open(url.path)
        try System.setMode(0o200, of: file.raw)
        let provider = try #require(ItemProvider(contentsOf: url))
        try await provider.withLoadedFile(for: .data) { loaded in
            let status = try #require(try System.status(at: loaded.value.path))
            #expect(status.mode == 0o600)
        }
    }
}
