import Foundation
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Values that are offered in several representations, and made from the best one.
@Suite(.inProcess)
struct TransferableTests {
    private struct Note: Codable, Equatable, Transferable {
        var title: String
        var link = URL(string: "https://example.org")
        var isDraft = false

        static var transferRepresentation: some TransferRepresentation {
            CodableRepresentation(contentType: .note)
            DataRepresentation(exportedContentType: .rtf) { Data("{\($0.title)}".utf8) }
                .exportingCondition { !$0.isDraft }
                .suggestedFileName { "\($0.title).rtf" }
            DataRepresentation(exportedContentType: .html) { Data("<h1>\($0.title)</h1>".utf8) }
                .visibility(.ownProcess)
            ProxyRepresentation(exporting: \.title, importing: { Note(title: $0) })
        }
    }

    private struct Movie: Transferable {
        let url: URL

        static var transferRepresentation: some TransferRepresentation {
            FileRepresentation(contentType: .movie) { movie in
                SentTransferredFile(movie.url)
            } importing: { received in
                #expect(!received.isOriginalFile)
                let copy = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
                try FileManager.default.copyItem(at: received.file, to: copy)
                return Movie(url: copy)
            }
        }
    }

    /// A link whose URL is made at once, unless it is private.
    private struct Link: Transferable {
        var url: URL

        static var transferRepresentation: some TransferRepresentation {
            ProxyRepresentation(exporting: \.url).exportingCondition { $0.url.scheme != "private" }
        }
    }

    /// A value that is offered as another one.
    private struct Draft: Transferable {
        var note: Note

        static var transferRepresentation: some TransferRepresentation { ProxyRepresentation(exporting: \.note) }
    }

    /// A link whose URL is made asynchronously, and which is described by a representation of its own.
    private struct SlowLink: Transferable {
        var url: URL
        static var transferRepresentation: some TransferRepresentation { Address() }

        struct Address: TransferRepresentation {
            typealias Item = SlowLink

            var body: some TransferRepresentation {
                ProxyRepresentation(exporting: { (link: SlowLink) async -> URL in await link.address() })
            }
        }

        func address() async -> URL { url }
    }

    private func provider(_ value: some Transferable) -> ItemProvider {
        let provider = ItemProvider()
        provider.register(value)
        return provider
    }

    @Test("A value is offered in its representations, best first, and made by the first that the item has")
    func order() async throws {
        let note = Note(title: "Sierra")
        try await LoadPlace.there.with(provider(note)) { item in
            #expect(
                item.registeredTypeIdentifiers == [
                    "org.example.transferable-note", "public.rtf", "public.utf8-plain-text",
                ]
            )
            #expect(item.suggestedName == "Sierra.rtf")
            let loaded = try await item.loadTransferable(type: Note.self)
            let title = try await item.loadTransferable(type: String.self)
            let richText = try await item.loadData(for: .rtf)
            #expect(loaded == note && title == "Sierra" && richText == Data("{Sierra}".utf8))
        }
        let text = try await provider("Coast").loadTransferable(type: Note.self)
        #expect(text == Note(title: "Coast"))
        await #expect { try await provider(Data()).loadTransferable(type: URL.self) } throws: { error in
            PasteboardError.Code.typeUnavailable ~= error
        }
    }

    @Test("A representation whose condition is false, or whose type the provider has, is not registered")
    func conditions() {
        let provider = provider(Note(title: "draft", isDraft: true))
        #expect(!provider.hasItemConformingToTypeIdentifier("public.rtf"))
        provider.suggestedName = "kept"
        provider.register(Note(title: "finished"))
        #expect(provider.registeredTypeIdentifiers.count == 4)
        #expect(provider.registeredTypeIdentifiers.last == "public.rtf")
        #expect(provider.suggestedName == "kept")
    }

    @Test("Nothing is made before a load, and an error of a representation arrives")
    func laziness() async throws {
        struct Broken: Transferable {
            static var transferRepresentation: some TransferRepresentation {
                DataRepresentation(exportedContentType: .png) { _ in throw CocoaError(.fileNoSuchFile) }
                DataRepresentation(importedContentType: .gif) { _ in throw CocoaError(.fileReadCorruptFile) }
            }
        }
        let made = Lock(0)
        let item = ItemProvider()
        item.register(
            made.withLock { count -> Broken in
                count += 1
                return Broken()
            }
        )
        #expect(made.withLock { $0 } == 0)
        await #expect(throws: PasteboardError.self) { try await item.loadData(for: .png) }
        #expect(made.withLock { $0 } == 1)
        item.registerDataRepresentation(for: .gif) { Data() }
        await #expect(throws: CocoaError.self) { try await item.loadTransferable(type: Broken.self) }
    }

    @Test("A file is offered as a copy, and a value copies the received file", arguments: LoadPlace.allCases)
    func files(place: LoadPlace) async throws {
        let directory = try TemporaryDirectory()
        let url = URL(filePath: "\(directory.path)/movie.mp4")
        try Data("frames".utf8).write(to: url)
        try await place.with(provider(Movie(url: url))) { item in
            let movie = try await item.loadTransferable(type: Movie.self)
            defer { try? FileManager.default.removeItem(at: movie.url) }
            #expect(movie.url != url)
            #expect(try Data(contentsOf: movie.url) == Data("frames".utf8))
        }
    }

    @Test("The conditions of a proxy are evaluated when it is registered, or at a load if it is made asynchronously")
    func proxies() async throws {
        let (file, page) = (URL(filePath: "/tmp/a"), try #require(URL(string: "https://example.org")))
        #expect(provider(Link(url: file)).registeredTypeIdentifiers == ["public.file-url", "public.url"])
        #expect(provider(Link(url: page)).registeredTypeIdentifiers == ["public.url"])
        #expect(provider(Link(url: try #require(URL(string: "private:a")))).registeredTypeIdentifiers.isEmpty)
        let note = Note(title: "Sierra")
        #expect(provider(Draft(note: note)).suggestedName == provider(note).suggestedName)
        let slow = provider(SlowLink(url: page))
        #expect(slow.registeredTypeIdentifiers == ["public.url"])
        #expect(try await slow.load(URL.self) == page)
    }

    @Test("A value of a source that has ended cannot be made, and the error names the source")
    func ended() async throws {
        try await TestBroker.with { broker in
            let source = broker.connect()
            let publication = try await Pasteboard(name: .general, connection: source)
                .write([provider(Note(title: "Sierra"))])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            await source.close()
            #expect(try await publication.outcome() == .brokerGone)
            try await eventually("the end of the promises") {
                try await broker.pasteboard().contents().types.isEmpty
            }
            let gone = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            for item in [item, gone] {
                await expectError(.sourceGone) { try await item.loadTransferable(type: Note.self) }
            }
        }
    }

    @Test("The completion handler gets the value, and the progress cancels the load")
    func callbacks() async throws {
        let loaded = try await withCheckedThrowingContinuation { continuation in
            provider(Note(title: "Sierra")).loadTransferable(type: String.self) { continuation.resume(with: $0) }
        }
        #expect(loaded == "Sierra")
        let cancelled = await withCheckedContinuation { continuation in
            let item = ItemProvider()
            let unanswered = Lock<[@Sendable (Data?, (any Error)?) -> Void]>([])
            item.registerDataRepresentation(for: .utf8PlainText) { completion in
                unanswered.withLock { $0.append(completion) }
                return nil
            }
            item.loadTransferable(type: String.self) { continuation.resume(returning: $0) }.cancel()
        }
        #expect { try cancelled.get() } throws: { PasteboardError.Code.cancelled ~= $0 }
    }
}

extension UniformType {
    fileprivate static let note = UniformType(exportedAs: "org.example.transferable-note", conformingTo: .json)
}
