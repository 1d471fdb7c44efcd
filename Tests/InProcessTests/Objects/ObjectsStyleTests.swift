import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

/// A model class in the common style of programs that use item providers.
private final class Contact: Codable, ItemProviderWriting, ItemProviderReading {
    static let typeIdentifier = "org.example.contact"

    let name: String
    let mail: String?

    init(name: String, mail: String?) {
        self.name = name
        self.mail = mail
    }

    static var writableTypeIdentifiersForItemProvider: [String] {
        [typeIdentifier, UniformType.utf8PlainText.identifier]
    }

    static var readableTypeIdentifiersForItemProvider: [String] {
        [typeIdentifier, UniformType.plainText.identifier]
    }

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        do {
            let isText = typeIdentifier == UniformType.utf8PlainText.identifier
            completionHandler(try isText ? Data(name.utf8) : JSONEncoder().encode(self), nil)
        } catch {
            completionHandler(nil, error)
        }
        return nil
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Contact {
        if typeIdentifier == Self.typeIdentifier { return try JSONDecoder().decode(Contact.self, from: data) }
        return Contact(name: String(decoding: data, as: UTF8.self), mail: nil)
    }
}

/// A class of a main-actor program: it is not Sendable and not thread-safe.
private final class Canvas: ItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = [UniformType.png.identifier]
    var data = Data()

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
        let canvas = Self()
        canvas.data = data
        return canvas
    }
}

@MainActor
private final class Controller {
    var canvas: Canvas?
    var names: [String] = []

    func paste(_ provider: ItemProvider) async throws {
        canvas = try await provider.loadObject(ofClass: Canvas.self)
    }

    func drop(_ provider: ItemProvider, then done: Gate) -> LoadProgress? {
        guard provider.canLoadObject(ofClass: Contact.self) else { return nil }
        return provider.loadObject(ofClass: Contact.self) { contact, error in
            let name = contact?.name ?? error.map { "\($0)" } ?? "neither"
            Task { @MainActor in
                self.names.append(name)
                done.open()
            }
        }
    }
}

@Suite(.inProcess)
struct ObjectsStyleTests {
    @Test("a class that reads and writes itself is transferred in its own type, and as text if only that is available")
    func contact() async throws {
        try await TestBroker.with { broker in
            let whole = ItemProvider(object: Contact(name: "Ada", mail: "ada@example.org"))
            let text = ItemProvider(object: "Grace")
            let publication = try await broker.pasteboard().write([whole, text])
            let items = try await broker.pasteboard().contents().items.map(\.itemProvider)
            try #require(items.count == 2)
            let contacts = [
                try await items[0].loadObject(ofClass: Contact.self),
                try await items[1].loadObject(ofClass: Contact.self),
            ]
            #expect(contacts.map(\.name) == ["Ada", "Grace"])
            #expect(contacts.map(\.mail) == ["ada@example.org", nil])
            // Conversely, a contact can be loaded as text, as text fields do it.
            #expect(try await items[0].loadObject(ofClass: String.self) == "Ada")
            withExtendedLifetime(publication) {}
        }
    }

    @Test("the main actor can use loaded objects that are not Sendable, and callbacks can switch to it")
    @MainActor
    func mainActor() async throws {
        let provider = ItemProvider(object: Contact(name: "Ada", mail: nil))
        provider.registerDataRepresentation(for: .png) { Data("png".utf8) }
        let controller = Controller()
        try await controller.paste(provider)
        #expect(controller.canvas?.data == Data("png".utf8))
        let done = Gate()
        let progress = try #require(controller.drop(provider, then: done))
        await done.wait()
        #expect(controller.names == ["Ada"])
        #expect(progress.isFinished)
        #expect(controller.drop(ItemProvider(), then: done) == nil)
    }
}
