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
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: type) { Data("sketch".utf8) }
        try await LoadPlace.there.with(provider) { item in
            for provider in [provider, item] {
                #expect(provider.canLoad(Drawing.self))
                let drawing = try await provider.load(Drawing.self, options: LoadOptions(timeout: .seconds(600)))
                #expect(drawing.typeIdentifier == "org.example.drawing.sketch")
            }
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
        let error = await expectError(.typeUnavailable) { _ = try await provider.load(Drawing.self).data }
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
        let provider = ItemProvider()
        provider.registerJSON(place, for: type)
        #expect(provider.registeredTypeIdentifiers == ["org.example.place"])
        #expect(try await provider.loadJSON(Place.self, for: type) == place)
        try await LoadPlace.there.with(provider) { item in
            let loaded = try await item.loadJSON(Place.self, for: .json)
            #expect(loaded == place)
            await #expect(throws: DecodingError.self) { try await item.loadJSON(Int.self, for: type) }
        }
    }

    @Test("JSON is encoded and decoded with the settings that the programs pass")
    func jsonSettings() async throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        let date = Date(timeIntervalSince1970: 0)
        let provider = ItemProvider()
        provider.registerJSON([date], for: .json, policy: .onceAndKept, encoder: encoder)
        try await LoadPlace.there.with(provider) { item in
            let data = try await item.loadData(for: .json)
            #expect(data == Data(#"["1970-01-01T00:00:00Z"]"#.utf8))
            let progress = LoadProgress()
            #expect(try await item.loadJSON([Date].self, for: .json, progress: progress, decoder: decoder) == [date])
            #expect(progress.isFinished)
        }
    }

    @Test("a value that cannot be encoded fails at the load with the error of the encoder")
    func unencodable() async throws {
        let provider = ItemProvider()
        provider.registerJSON(Double.infinity, for: .json)
        let error = await expectError(.sourceFailed) { try await provider.loadJSON(Double.self, for: .json) }
        #expect(error?.sourceError?.message.isEmpty == false)
    }
}
