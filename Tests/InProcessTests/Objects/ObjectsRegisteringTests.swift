import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// An object that writes its name and the requested type.
private struct Note: ItemProviderWriting {
    static let writableTypeIdentifiersForItemProvider = ["org.example.note", "public.utf8-plain-text"]
    var name = "note"
    var extraTypes: [String]?
    var visibility: [String: ItemProviderRepresentationVisibility] = [:]

    var writableTypeIdentifiersForItemProvider: [String] {
        extraTypes ?? Self.writableTypeIdentifiersForItemProvider
    }

    func itemProviderVisibilityForRepresentation(
        withTypeIdentifier typeIdentifier: String
    ) -> ItemProviderRepresentationVisibility {
        visibility[typeIdentifier] ?? .all
    }

    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> LoadProgress? {
        completionHandler(Data("\(name) as \(typeIdentifier)".utf8), nil)
        return nil
    }
}

@Suite(.inProcess)
struct ObjectsRegisteringTests {
    private func text(_ provider: ItemProvider, _ type: String) async throws -> String {
        String(decoding: try await provider.loadData(for: UniformType(importedAs: type)), as: UTF8.self)
    }

    @Test("an object is registered for all of its types in its order, and writes itself as each of them")
    func object() async throws {
        let provider = ItemProvider(object: Note())
        #expect(provider.registeredTypeIdentifiers == ["org.example.note", "public.utf8-plain-text"])
        #expect(try await text(provider, "org.example.note") == "note as org.example.note")
        #expect(try await text(provider, "public.plain-text") == "note as public.utf8-plain-text")
    }

    @Test("registering an object adds its missing types, and does not replace registered types or their handlers")
    func missing() async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) { Data("first".utf8) }
        // The repeated types, one in another case, lead to one registration.
        let types = ["org.example.a", "public.UTF8-plain-text", "ORG.example.A", "public.png"]
        provider.registerObject(Note(extraTypes: types), visibility: .all)
        provider.registerObject(Note(name: "later"), visibility: .all)
        #expect(
            provider.registeredTypeIdentifiers
                == ["public.utf8-plain-text", "org.example.a", "public.png", "org.example.note"]
        )
        #expect(try await text(provider, "public.utf8-plain-text") == "first")
        #expect(try await text(provider, "org.example.a") == "note as org.example.a")
        #expect(try await text(provider, "org.example.note") == "later as org.example.note")
        // Registering a type again replaces its handler, also if it is the handler of an object.
        provider.registerDataRepresentation(for: UniformType(importedAs: "org.example.note")) { Data("new".utf8) }
        #expect(try await text(provider, "org.example.note") == "new")
        #expect(provider.registeredTypeIdentifiers.last == "org.example.note")
    }

    @Test("the stricter visibility of the object and the registration applies")
    func visibility() async throws {
        let types = ["org.example.a", "org.example.b"]
        let cases: [(ItemProviderRepresentationVisibility, [String: ItemProviderRepresentationVisibility], [String])] =
            [
                (.all, ["org.example.a": .ownProcess], ["org.example.b"]),
                (.ownProcess, ["org.example.a": .all], []),
                (.team, ["org.example.b": .ownProcess], ["org.example.a"]),
                (.all, [:], types),
            ]
        try await TestBroker.with { broker in
            for (argument, own, seen) in cases {
                let provider = ItemProvider()
                provider.registerObject(Note(extraTypes: types, visibility: own), visibility: argument)
                provider.registerDataRepresentation(for: .png) { Data() }
                #expect(provider.registeredTypeIdentifiers == types + ["public.png"])
                let publication = try await broker.pasteboard().write([provider])
                let item = try #require(try await broker.pasteboard().contents().items.first)
                #expect(item.itemProvider.registeredTypeIdentifiers == seen + ["public.png"])
                withExtendedLifetime(publication) {}
            }
        }
    }

    @Test("a lazy object has its class's types, is made at each load, and then writes itself")
    func lazy() async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .utf8PlainText) { Data("first".utf8) }
        provider.registerObject(ofClass: Note.self, visibility: .all) { completion in
            let number = calls.increment()
            completion(Note(name: "made \(number)", extraTypes: ["public.png"]), nil)
            // The second completion is ignored.
            completion(Note(name: "again"), nil)
            return nil
        }
        #expect(provider.registeredTypeIdentifiers == ["public.utf8-plain-text", "org.example.note"])
        #expect(calls.value == 0)
        #expect(try await text(provider, "org.example.note") == "made 1 as org.example.note")
        #expect(try await text(provider, "org.example.note") == "made 2 as org.example.note")
        #expect(try await text(provider, "public.utf8-plain-text") == "first")
        #expect(calls.value == 2)
    }

    @Test("a load fails if a lazy object's handler returns nothing, an error or both, or releases its completion")
    func lazyFailures() async throws {
        struct Broken: Error {}
        typealias Handler = @Sendable (@escaping @Sendable (Note?, (any Error)?) -> Void) -> LoadProgress?
        let cases: [(Handler, Int, String)] = [
            (
                {
                    $0(nil, nil)
                    return nil
                }, -1, "neither a Note nor an error"
            ),
            (
                {
                    $0(nil, Broken())
                    return nil
                }, -1000, "Broken"
            ),
            (
                {
                    $0(Note(), Broken())
                    return nil
                }, -1000, "Broken"
            ),
            ({ _ in nil }, -1, "never called its completion"),
        ]
        for (handler, code, text) in cases {
            let provider = ItemProvider()
            provider.registerObject(ofClass: Note.self, visibility: .all, loadHandler: handler)
            let error = await expectError(.sourceFailed) { try await provider.loadData(for: .plainText) }
            #expect(error?.itemProviderErrorCode == code)
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
    }
}
