import Foundation
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

/// Items whose class the type determines, as share extensions load them.
@Suite(.inProcess)
struct ItemLoadingTests {
    @Test("The type determines the item, which can be cast to a value and to an object")
    func classes() async throws {
        let items: [(any NSSecureCoding, UniformType)] = [
            ("text", .utf8PlainText), (URL(filePath: "/tmp/a") as NSURL, .url), (Data([1]), .png),
            (["a": ["b": 1]], .propertyList),
        ]
        let provider = ItemProvider()
        for (item, type) in items {
            let single = ItemProvider(item: item, typeIdentifier: type.identifier)
            provider.registerDataRepresentation(for: type) { try await single.loadData(for: type) }
        }
        try await LoadPlace.there.with(provider) { provider in
            let text = try await provider.loadItem(forTypeIdentifier: "public.text")
            #expect(text as? String == "text" && text as? NSString == "text")
            let url = try await provider.loadItem(forTypeIdentifier: "public.url")
            #expect((url as? URL)?.path() == "/tmp/a" && (url as? NSURL)?.path == "/tmp/a")
            let data = try await provider.loadItem(forTypeIdentifier: "public.image")
            #expect(data as? Data == Data([1]) && (data as? NSData)?.length == 1)
            let list = try await provider.loadItem(forTypeIdentifier: "com.apple.property-list")
            #expect((list as? [String: Any])?["a"] as? [String: Int] == ["b": 1])
            #expect(((list as? NSDictionary)?["a"] as? NSDictionary)?["b"] as? Int == 1)
        }
    }

    @Test("The item of a file is a URL of a copy, and a file URL offers its file", arguments: LoadPlace.allCases)
    func files(place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: "\(directory.path)/a.png")
        try Data([1]).write(to: url)
        try await place.with(try #require(ItemProvider(contentsOf: url))) { provider in
            let item = try await provider.loadItem(forTypeIdentifier: "public.image")
            let copy = try #require(item as? URL)
            defer { try? FileManager.default.removeItem(at: copy.deletingLastPathComponent()) }
            #expect(copy != url && copy.lastPathComponent == "a.png")
            #expect(try Data(contentsOf: copy) == Data([1]))
        }
        try await place.with(ItemProvider(item: url, typeIdentifier: "public.png")) { provider in
            let item = try await provider.loadItem(forTypeIdentifier: "public.png")
            #expect(item as? Data == Data([1]))
        }
        try await place.with(ItemProvider(item: url, typeIdentifier: "public.file-url")) { provider in
            let item = try await provider.loadItem(forTypeIdentifier: "public.file-url")
            #expect(item as? URL == url)
        }
    }

    @Test("A registered item is made at each load, and the completion handler gets it or the error")
    func registering() async throws {
        let provider = ItemProvider(item: nil, typeIdentifier: nil)
        #expect(provider.registeredTypeIdentifiers.isEmpty)
        provider.registerItem(forTypeIdentifier: "public.plain-text") { completion, _, _ in
            completion?("text", nil)
        }
        provider.registerItem(forTypeIdentifier: "public.png") { completion, _, _ in
            completion?(nil, CocoaError(.fileNoSuchFile))
        }
        let text = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.plain-text") { item, _ in
                continuation.resume(returning: item as? String)
            }
        }
        #expect(text == "text")
        let failed = await withCheckedContinuation { continuation in
            provider.loadItem(forTypeIdentifier: "public.png") { item, error in
                continuation.resume(returning: item == nil && error is PasteboardError)
            }
        }
        #expect(failed)
    }

    @Test("A share extension reads the items of its context, and answers it")
    func shareExtension() async throws {
        let item = NSExtensionItem()
        item.attachments = [ItemProvider(object: "text")]
        var answer: [String] = []
        let context = NSExtensionContext(inputItems: [item]) { result in
            answer = (try? result.get())?.compactMap { $0 as? String } ?? ["cancelled"]
        }
        for item in context.inputItems as? [NSExtensionItem] ?? [] {
            for provider in item.attachments ?? [] {
                let text = try await provider.loadItem(forTypeIdentifier: UTType.plainText.identifier) as? String
                context.completeRequest(returningItems: [text ?? ""])
            }
        }
        #expect(answer == ["text"])
        context.cancelRequest(withError: CocoaError(.userCancelled))
        #expect(answer == ["cancelled"])
    }
}
