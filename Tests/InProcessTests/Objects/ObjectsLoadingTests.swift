import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// A class that is not Sendable: every load makes its own object.
private final class Drawing: ItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = ["public.png", "public.jpeg", "org.example.drawing"]

    struct Unreadable: Error, Equatable {
        let count: Int
    }

    let data: Data
    let typeIdentifier: String

    init(data: Data, typeIdentifier: String) {
        self.data = data
        self.typeIdentifier = typeIdentifier
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        if data.isEmpty { throw Unreadable(count: 0) }
        return Self(data: data, typeIdentifier: typeIdentifier)
    }
}

private struct Place: Codable, Equatable {
    var name: String
    var height = 0.5
}

@Suite(.inProcess)
struct ObjectsLoadingTests {
    @Test("the source's order decides which readable type is loaded, and the class gets that type")
    func order() async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .pdf) { Data("pdf".utf8) }
        provider.registerDataRepresentation(for: .jpeg) { Data("jpeg".utf8) }
        provider.registerDataRepresentation(for: .png) { Data("png".utf8) }
        #expect(provider.canLoad(Drawing.self))
        let drawing = try await provider.load(Drawing.self)
        #expect(drawing.data == Data("jpeg".utf8))
        #expect(drawing.typeIdentifier == "public.jpeg")
    }

    @Test("a type that conforms to a readable type is read under its own name, also in another process")
    func subtype() async throws {
        let type = UniformType(
            exportedAs: "org.example.drawing.sketch",
            conformingTo: .init(importedAs: "org.example.drawing")
        )
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: type) { Data("sketch".utf8) }
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            for provider in [provider, item.itemProvider] {
                #expect(provider.canLoad(Drawing.self))
                let drawing = try await provider.load(Drawing.self, options: LoadOptions(timeout: .seconds(600)))
                #expect(drawing.typeIdentifier == "org.example.drawing.sketch")
            }
            withExtendedLifetime(publication) {}
        }
    }

    @Test("if the class can read none of the types, no handler is called, and the error names the types")
    func unavailable() async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .image) {
            calls.increment()
            return Data()
        }
        #expect(!provider.canLoad(Drawing.self))
        let error = await #expect(throws: PasteboardError.self) {
            _ = try await provider.load(Drawing.self).data
        }
        #expect(error?.code == .typeUnavailable)
        #expect(error?.itemProviderErrorCode == ItemProvider.ErrorCode.itemUnavailableError.rawValue)
        #expect(error?.message.contains("available: public.image") == true)
        #expect(error?.message.contains("org.example.drawing") == true)
        let ended = Gate()
        let progress = provider.loadObject(ofClass: Drawing.self) { drawing, error in
            #expect(drawing == nil)
            #expect((error as? PasteboardError)?.code == .typeUnavailable)
            ended.open()
        }
        await ended.wait()
        #expect(!progress.isFinished)
        #expect(calls.value == 0)
    }

    @Test("an error that the class throws while it reads the bytes is the error of the load, in both forms")
    func throwing() async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) { Data() }
        await #expect(throws: Drawing.Unreadable(count: 0)) {
            _ = try await provider.load(Drawing.self).data
        }
        let ended = Gate()
        provider.loadObject(ofClass: Drawing.self) { drawing, error in
            #expect(drawing == nil)
            #expect(error as? Drawing.Unreadable == Drawing.Unreadable(count: 0))
            ended.open()
        }
        await ended.wait()
    }

    @Test("a Codable value is encoded as JSON, also for another process")
    func json() async throws {
        let type = UniformType(exportedAs: "org.example.place", conformingTo: .json)
        let place = Place(name: "Søndre \"Ås\"")
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerJSON(place, for: type)
            #expect(provider.registeredTypeIdentifiers == ["org.example.place"])
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            #expect(try await provider.loadJSON(Place.self, for: type) == place)
            #expect(try await item.itemProvider.loadJSON(Place.self, for: .json) == place)
            await #expect(throws: DecodingError.self) { try await item.itemProvider.loadJSON(Int.self, for: type) }
            withExtendedLifetime(publication) {}
        }
    }

    @Test("JSON is encoded and decoded with the settings that the programs pass")
    func jsonSettings() async throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        let date = Date(timeIntervalSince1970: 0)
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            provider.registerJSON([date], for: .json, policy: .onceAndKept, encoder: encoder)
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            #expect(try await item.loadData(for: .json) == Data(#"["1970-01-01T00:00:00Z"]"#.utf8))
            let progress = LoadProgress()
            #expect(try await item.loadJSON([Date].self, for: .json, progress: progress, decoder: decoder) == [date])
            #expect(progress.isFinished)
            withExtendedLifetime(publication) {}
        }
    }

    @Test("a value that cannot be encoded fails at the load with the error of the encoder")
    func unencodable() async throws {
        let provider = ItemProvider()
        provider.registerJSON(Double.infinity, for: .json)
        let error = await #expect(throws: PasteboardError.self) {
            try await provider.loadJSON(Double.self, for: .json)
        }
        #expect(error?.code == .sourceFailed)
        #expect(error?.sourceError?.message.isEmpty == false)
    }
}
