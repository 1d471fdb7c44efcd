import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// The behaviour of NSItemProvider, point by point, in the source's process and through a broker. The missing points
/// have their own suites: 6 (each registration in each form) `MatrixTests`, 8 (in place) `InPlaceTests`, 10
/// (cancellation) `EndingTests`, 12 (names of files) `SafeFileNameTests`, 13 (simultaneous loads) `LoadTests`.
@Suite(.inProcess)
struct ChecklistTests {
    private struct Note: ItemProviderWriting {
        static let writableTypeIdentifiersForItemProvider = [
            "org.example.note", "public.png", "public.utf8-plain-text",
        ]

        func loadData(
            withTypeIdentifier typeIdentifier: String,
            forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
        ) -> LoadProgress? {
            completionHandler(Data("note as \(typeIdentifier)".utf8), nil)
            return nil
        }
    }

    @Test(
        "1, 2: Types are in the order of registration, an object's types in its order, and none is listed twice",
        arguments: LoadPlace.allCases
    )
    func order(place: LoadPlace) async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) { Data("data".utf8) }
        provider.registerFileRepresentation(for: .gif) { URL(filePath: "/nonexistent") }
        provider.registerObject(Note(), visibility: .all)
        provider.registerDataRepresentation(for: .jpeg) { Data() }
        provider.registerObject(ofClass: Note.self, visibility: .all) { _ in nil }
        let expected = [
            "public.png", "com.compuserve.gif", "org.example.note", "public.utf8-plain-text", "public.jpeg",
        ]
        #expect(provider.registeredTypeIdentifiers == expected)
        try await place.with(provider) { provider in
            #expect(provider.registeredTypeIdentifiers == expected)
            let first = try await provider.loadData(for: .png)
            let second = try await provider.loadData(for: .utf8PlainText)
            #expect(first == Data("data".utf8) && second == Data("note as public.utf8-plain-text".utf8))
        }
    }

    @Test(
        "3: A load of a supertype gets the first type that conforms, in the order of registration",
        arguments: LoadPlace.allCases
    )
    func supertype(place: LoadPlace) async throws {
        let provider = ItemProvider()
        for type in [UniformType.utf8PlainText, .tiff, .png, .jpeg] {
            provider.registerDataRepresentation(for: type) { Data(type.identifier.utf8) }
        }
        try await place.with(provider) { provider in
            for (wanted, given) in [(.image, .tiff), (.data, .utf8PlainText), (.png, .png)]
                as [(UniformType, UniformType)]
            {
                let loaded = try await provider.loadData(forFirstOf: [wanted], preferring: .reader)
                #expect(loaded.type == given && loaded.value == Data(given.identifier.utf8))
            }
            #expect(provider.registeredContentTypes(conformingTo: .image) == [.tiff, .png, .jpeg])
            let ofReader = try await provider.loadData(forFirstOf: [.jpeg, .tiff], preferring: .reader)
            let ofSource = try await provider.loadData(forFirstOf: [.jpeg, .tiff])
            #expect(ofReader.type == .jpeg && ofSource.type == .tiff)
            #expect(provider.bestType(of: [.jpeg, .image]) == .tiff)
        }
    }

    @Test(
        "A load of a registered type returns that type, not an earlier one that conforms to it",
        arguments: LoadPlace.allCases
    )
    func exact(place: LoadPlace) async throws {
        let markdown = UniformType.declare("org.example.exact-markup", conformingTo: [.utf8PlainText])
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: markdown) { Data("*a*".utf8) }
        provider.registerDataRepresentation(for: .utf8PlainText) { Data("a".utf8) }
        try await place.with(provider) { provider in
            let exact = try await provider.loadData(forFirstOf: [.utf8PlainText], preferring: .reader)
            #expect(exact.type == .utf8PlainText && exact.value == Data("a".utf8))
            let first = try await provider.loadData(forFirstOf: [.text], preferring: .reader)
            #expect(first.type == markdown)
            // If several types fit, the source's order decides, also for objects.
            #expect(provider.bestType(of: [.utf8PlainText, .png]) == markdown)
        }
    }

    @Test(
        "4, 5: A load of a subtype fails with -1000, and neither this load nor a query calls a handler",
        arguments: LoadPlace.allCases
    )
    func subtype(place: LoadPlace) async throws {
        let calls = Counter()
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .plainText) {
            calls.increment()
            return Data()
        }
        try await place.with(provider) { provider in
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .utf8PlainText) }
            #expect(error?.code == .typeUnavailable && error?.itemProviderErrorCode == -1000)
            #expect(provider.hasItemConformingToTypeIdentifier("public.text"))
            #expect(!provider.hasItemConformingToTypeIdentifier("public.utf8-plain-text"))
            #expect(!provider.hasRepresentationConforming(toTypeIdentifier: "public.text", fileOptions: .openInPlace))
            #expect(provider.canLoad(String.self) && !provider.canLoad(URL.self))
            #expect(provider.registeredTypeIdentifiers(fileOptions: []) == ["public.plain-text"])
            #expect(provider.registeredContentTypesForOpenInPlace.isEmpty)
            #expect(calls.value == 0)
        }
    }

    @Test(
        "7: A temporary file exists while the handler runs and is removed after it, but a hard link to it survives",
        arguments: LoadPlace.allCases
    )
    func temporary(place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        let link = directory["link"]
        try await place.with(.text("kept")) { provider in
            let path = Lock("")
            let done = Gate()
            provider.loadFileRepresentation(forTypeIdentifier: "public.text") { url, error in
                #expect(error == nil)
                path.withLock { $0 = url?.path ?? "" }
                try? FileManager.default.linkItem(atPath: url?.path ?? "", toPath: link)
                done.open()
            }
            await done.wait()
            // The file is removed after the handler has returned, possibly a moment later. The next load is the same.
            let scoped = try await provider.withLoadedFile(for: .text) { loaded in
                #expect(FileManager.default.fileExists(atPath: loaded.value.path))
                return loaded.value.path
            }
            #expect(!FileManager.default.fileExists(atPath: scoped))
            let mine = path.withLock { $0 }
            try await eventually("the removal of the file") { !FileManager.default.fileExists(atPath: mine) }
            let linked = try directory.contents(of: "link")
            #expect(linked == Array("kept".utf8))
        }
    }

    @Test(
        "9: The first of two completions counts; an error counts more than bytes; neither of them is an unknown error",
        arguments: LoadPlace.allCases
    )
    func completions(place: LoadPlace) async throws {
        struct Own: Error {}
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png) { completion in
            completion(Data("first".utf8), nil)
            completion(Data("second".utf8), nil)
            completion(nil, Own())
            return nil
        }
        provider.registerDataRepresentation(for: .gif) { completion in
            completion(Data("bytes".utf8), Own())
            return nil
        }
        provider.registerDataRepresentation(for: .jpeg) { completion in
            completion(nil, nil)
            return nil
        }
        provider.registerFileRepresentation(for: .tiff) { completion in
            completion(nil, false, nil)
            return nil
        }
        try await place.with(provider) { provider in
            let first = try await provider.loadData(for: .png)
            #expect(first == Data("first".utf8))
            let both = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .gif) }
            #expect(both?.code == .sourceFailed && both?.sourceError?.domain.hasSuffix("Own") == true)
            for type in [UniformType.jpeg, .tiff] {
                let neither = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: type) }
                #expect(neither?.code == .sourceFailed && neither?.itemProviderErrorCode == -1)
            }
        }
    }

    @Test("A progress that a handler returns after it has completed is not changed", arguments: LoadPlace.allCases)
    func completedProgress(place: LoadPlace) async throws {
        let (provider, cancelled) = (ItemProvider(), Counter())
        provider.registerDataRepresentation(for: .png) { completion in
            completion(Data([1]), nil)
            let progress = LoadProgress(totalUnitCount: 1)
            progress.cancellationHandler = { cancelled.increment() }
            return progress
        }
        try await place.with(provider) { provider in
            for _ in 0..<3 {
                let loaded = try await provider.loadData(for: .png)
                #expect(loaded == Data([1]))
            }
        }
        #expect(cancelled.value == 0)
    }

    @Test("11: An own-process representation can be loaded in its process, and does not exist for a broker")
    func ownProcess() async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .png, visibility: .ownProcess) { Data("own".utf8) }
        provider.registerDataRepresentation(for: .gif) { Data("all".utf8) }
        let loaded = try await provider.loadData(for: .image)
        #expect(loaded == Data("own".utf8))
        for place in LoadPlace.brokers {
            try await place.with(provider) { provider in
                #expect(provider.registeredContentTypes == [.gif])
                #expect(!provider.hasItemConformingToTypeIdentifier("public.png"))
                let image = try await provider.loadData(forFirstOf: [.image], preferring: .reader)
                #expect(image.type == .gif && image.value == Data("all".utf8))
                await expectError(.typeUnavailable) { try await provider.loadData(for: .png) }
            }
        }
    }

    @Test(
        "14: Copies and publications of a provider have the registrations of the time when they were made",
        arguments: LoadPlace.allCases
    )
    func copies(place: LoadPlace) async throws {
        let original = ItemProvider.text("then")
        original.suggestedName = "name"
        let copy = original.copy()
        try await place.with(copy) { provider in
            for one in [original, copy] {
                one.suggestedName = "other"
                one.registerDataRepresentation(for: .png) { Data() }
                one.registerDataRepresentation(for: .utf8PlainText) { Data("later".utf8) }
            }
            guard place != .here else { return }
            #expect(provider.registeredContentTypes == [.utf8PlainText] && provider.suggestedName == "name")
            let text = try await provider.loadData(for: .text)
            #expect(text == Data("then".utf8))
        }
        let second = original.copy()
        original.registerDataRepresentation(for: .gif) { Data() }
        second.registerDataRepresentation(for: .jpeg) { Data() }
        #expect(original.registeredContentTypes == [.utf8PlainText, .png, .gif])
        #expect(second.registeredContentTypes == [.utf8PlainText, .png, .jpeg])
    }
}
