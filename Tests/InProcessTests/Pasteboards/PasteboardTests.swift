import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing
import TypeIdentifiers

@Suite(.inProcess)
struct PasteboardTests {
    @Test("own-process representations are not published, and an item with no others is refused by its index")
    func visibility() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .png, visibility: .ownProcess) { Data() }
            await #expect(throws: PasteboardError.self) { try await pasteboard.write([provider]) }
            provider.registerDataRepresentation(for: .gif) { Data("g".utf8) }
            let hidden = ItemProvider()
            hidden.registerDataRepresentation(for: .png, visibility: .ownProcess) { Data() }
            let error = await expectError(.invalidArgument) { try await pasteboard.write([provider, hidden]) }
            #expect(
                error?.message == "item 1 of the write has no representation that other processes may see: register "
                    + "one, or leave the item out"
            )
            try await pasteboard.write([provider])
            let items = try await pasteboard.contents().items
            #expect(items.map { $0.representations.map(\.type) } == [[.gif]])
            // The broker asks with the indices of the published representations.
            #expect(try await items[0].itemProvider.loadData(for: .gif) == Data("g".utf8))
        }
    }

    @Test("a type that only the source declares keeps its supertypes in other processes")
    func ownTypes() async throws {
        try await TestBroker.with { broker in
            let type = UniformType(identifier: "org.example.note", supertypes: ["public.json", "public.text"])
            let provider = ItemProvider.making(type) { Data("{}".utf8) }
            let source = broker.pasteboard()
            try await source.write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            let loaded = try await item.itemProvider.loadData(forFirstOf: [.json], preferring: .reader)
            #expect(loaded.type.identifier == "org.example.note")
            #expect(loaded.type.conforms(to: .json))
        }
    }

    @Test("a type that this process has declared is the same type in received items")
    func declaredTypes() async throws {
        try await TestBroker.with { broker in
            let name = "org.example.declared-here"
            let sent = UniformType(identifier: name, supertypes: ["public.json", "public.text"])
            let own = UniformType(importedAs: name, conformingTo: .xml)
            let provider = ItemProvider.making(sent) { Data() }
            try await broker.pasteboard().write([provider], keeps: .everything)
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let received = try #require(item.registeredContentTypes.first)
            #expect(received == own && received.supertypes == own.supertypes && !received.conforms(to: .json))
            #expect(try await item.loadData(forFirstOf: [.xml]).type == own)
        }
    }

    @Test("One write may contain 512 items, and one more is refused", .tags(.f18))
    func manyItems() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            try await pasteboard.write((0..<512).map { .text("\($0)") })
            let items = try await pasteboard.contents().items
            #expect(items.count == 512)
            #expect(try await items[511].itemProvider.loadData(for: .text) == Data("511".utf8))
            await expectError(.limitExceeded) { try await pasteboard.write((0..<513).map { .text("\($0)") }) }
            #expect(try await pasteboard.contents().items.count == 512)
        }
    }
}

extension ItemProvider {
    static func text(_ text: String) -> ItemProvider { .making(.utf8PlainText) { Data(text.utf8) } }

    /// A provider with one handler.
    static func making(_ type: UniformType, _ handler: @escaping @Sendable () async throws -> Data) -> ItemProvider {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: type, loadHandler: handler)
        return provider
    }

    /// A provider whose handler returns the text when a gate opens.
    static func waiting(
        _ type: UniformType,
        asked: Gate = Gate(),
        for gate: Gate,
        _ text: String = ""
    ) -> ItemProvider {
        .making(type) {
            asked.open()
            await gate.wait()
            return Data(text.utf8)
        }
    }
}
