import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess)
struct ItemProviderTests {
    @Test("types are listed in the order of registration, and registering a type again does not change its index")
    func order() async throws {
        let provider = ItemProvider()
        provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
            completion(Data("old".utf8), nil)
            return nil
        }
        provider.registerDataRepresentation(for: .jpeg) { completion in
            completion(nil, nil)
            return nil
        }
        provider.registerDataRepresentation(for: .png) { Data("new".utf8) }
        #expect(provider.registeredTypeIdentifiers == ["public.png", "public.jpeg"])
        #expect(provider.registeredContentTypes == [.png, .jpeg])
        #expect(try await provider.loadData(for: .png).value == Data("new".utf8))
    }

    @Test(
        "a load of a registered type returns that type, not an earlier one that conforms to it",
        arguments: LoadPlace.allCases
    )
    func exact(place: LoadPlace) async throws {
        let markdown = UniformType.declare("org.example.exact-markup", conformingTo: [.utf8PlainText])
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: markdown) { Data("*a*".utf8) }
        provider.registerDataRepresentation(for: .utf8PlainText) { Data("a".utf8) }
        try await place.with(provider) { provider in
            let exact = try await provider.loadData(for: .utf8PlainText)
            #expect(exact.type == .utf8PlainText && exact.value == Data("a".utf8))
            let first = try await provider.loadData(for: .text)
            #expect(first.type == markdown)
            // If several types fit, the source's order decides, also for objects.
            #expect(provider.bestType(of: [.utf8PlainText, .png]) == markdown)
        }
    }

    @Test("a progress that a handler returns after it has completed is not changed", arguments: LoadPlace.allCases)
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
                let loaded = try await provider.loadData(for: .png).value
                #expect(loaded == Data([1]))
            }
        }
        #expect(cancelled.value == 0)
    }

    @Test("both callback forms load, and return a progress at once even if the load fails")
    func callbacks() async throws {
        let provider = ItemProvider.text("a")
        let (first, second, third) = (Gate(), Gate(), Gate())
        provider.loadDataRepresentation(forTypeIdentifier: "public.text") { data, error in
            #expect(data == Data("a".utf8))
            #expect(error == nil)
            first.open()
        }
        let progress = provider.loadDataRepresentation(for: .text) { data, error in
            #expect(data == Data("a".utf8))
            #expect(error == nil)
            second.open()
        }
        provider.loadDataRepresentation(for: .png) { data, error in
            #expect(data == nil)
            #expect((error as? PasteboardError)?.code == .typeUnavailable)
            third.open()
        }
        for gate in [first, second, third] { await gate.wait() }
        #expect(progress.isFinished)
    }
}
