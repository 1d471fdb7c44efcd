import PasteboardCompatibility
import PasteboardKit
import TableDragAndDrop
import TestSupport
import Testing

@testable import PortedPrograms

/// Programs that were written for Apple's frameworks, with only the imports changed. They run within one process, and
/// with a broker between source and destination.
@Suite(.inProcess) struct PortedProgramTests {
    /// The value with which a completion handler was called.
    private func result<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
        await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
    }

    @Test(
        "A model object writes and reads itself, and uses its own type only within its process",
        arguments: LoadPlace.allCases
    )
    func contactCard(place: LoadPlace) async throws {
        let card = ContactCard(name: "Ada", phoneNumber: "1815")
        try await place.with(ItemProvider(object: card)) { provider in
            let own = place == .here ? ["com.example.contact-card"] : []
            #expect(provider.registeredTypeIdentifiers == own + ["public.vcard", "public.utf8-plain-text"])
            let read = try await provider.load(ContactCard.self)
            #expect(read.name == "Ada" && read.phoneNumber == "1815")
            #expect(try await provider.load(String.self) == "Ada")
        }
        try await place.with(ItemProvider(object: "Grace")) { provider in
            let read = try await provider.load(ContactCard.self)
            #expect(read.name == "Grace" && read.phoneNumber == nil)
        }
    }

    @Test(
        "Progress is reported while a chart is made, and cancelling the parent progress reaches the handler",
        arguments: LoadPlace.allCases
    )
    func chartRenderer(place: LoadPlace) async throws {
        try await place.with(ChartRenderer(stepCount: 40).itemProvider()) { provider in
            let loader = ChartLoader(chartCount: 1)
            let rows = await result { done in loader.load(provider) { rows, _ in done(rows) } }
            #expect(rows == 40)
            #expect(loader.overallProgress.fractionCompleted == 1)
        }
        let (events, event) = AsyncStream<String>.makeStream()
        let endless = ChartRenderer(stepCount: 1).endlessItemProvider {
            event.yield("started")
        } cancelled: {
            event.yield("cancelled")
        }
        try await place.with(endless) { provider in
            let loader = ChartLoader(chartCount: 1)
            var iterator = events.makeAsyncIterator()
            async let error = result { done in loader.load(provider) { _, error in done(error as? PasteboardError) } }
            #expect(await iterator.next() == "started")
            loader.cancelAll()
            #expect(await error?.code == .cancelled)
            #expect(await iterator.next() == "cancelled")
        }
    }

    @Test("Types are found by extension, MIME type and tag, and saved as identifiers")
    func documentTypes() throws {
        let names = ["a.png", "b.JPG", "notes.txt", "film.mov", "none", "x.unheardof"]
        #expect(names.filter(DocumentTypes.isSupported) == ["a.png", "b.JPG", "notes.txt"])
        #expect(DocumentTypes.type(ofDownloadWithMIMEType: "image/png; q=1") == .png)
        #expect(DocumentTypes.type(ofDownloadWithMIMEType: "application/x-unheard-of").isDynamic)
        #expect(kUTTypeUTF8PlainText as String == "public.utf8-plain-text")
        #expect(DocumentTypes.describe(.image) == "declared, public, above png")
        #expect(DocumentTypes.describe(.sketch) == "declared, an image")
        #expect(DocumentTypes.describe(.json) == "declared, public, text")
        #expect(DocumentTypes.describe(try #require(UniformType(filenameExtension: "unheardof"))) == "dynamic")
        #expect(DocumentTypes.fileName(for: "Half Dome", type: .jpeg) == "Half Dome.jpeg")
        #expect(DocumentTypes.fileName(for: "Half Dome", type: .image) == "Half Dome")
        let folder = URL(filePath: "/pictures/")
        #expect(DocumentTypes.url(in: folder, for: "Half Dome.png", type: .image).path() == "/pictures/Half%20Dome.png")
        #expect(DocumentTypes.url(in: folder, for: "Half Dome", type: .png).lastPathComponent == "Half Dome.png")
        #expect(DocumentTypes.allExtensions(of: .jpeg).contains("jpeg"))
        #expect(DocumentTypes.candidates(forExtension: "PDF").first == .pdf)
        #expect(try DocumentTypes.roundTrip([.sketch, .partnerDrawing, .png]) == [.sketch, .partnerDrawing, .png])
    }

    @Test(
        "An own-process representation stays in its process, and others can be loaded elsewhere",
        arguments: LoadPlace.allCases
    )
    func privateClipping(place: LoadPlace) async throws {
        try await place.with(PrivateClipping(text: "secret").itemProvider()) { provider in
            let own = place == .here ? [PrivateClipping.editingType] : []
            let expected = own + [PrivateClipping.teamType, "public.utf8-plain-text"]
            #expect(provider.registeredTypeIdentifiers == expected)
            let view = ClippingView(itemProvider: provider)
            #expect(view.version == "version 2" && view.isInline)
            let text = try await view.loadText()
            #expect(text == "secret")
            let (state, code) = await result { done in view.loadEditingState { done(($0, $1)) } }
            #expect(state == (place == .here ? "cursor at 6" : nil) && code == (place == .here ? nil : -1000))
        }
    }

    @Test("The localized description of an error says what failed")
    func localizedDescription() async throws {
        let error = await result { done in
            ItemProvider().loadDataRepresentation(forTypeIdentifier: "public.png") { _, error in done(error) }
        }
        let shown = try #require(error)
        #expect(shown.localizedDescription == "\(shown)" && shown.localizedDescription.contains("public.png"))
        #expect((shown as NSError).domain == ItemProvider.errorDomain && (shown as NSError).code == -1000)
    }

    @Test("A card is moved to another card, copied to another process, and accepts only suitable items")
    @MainActor func placeCard() async throws {
        try await DragBroker.with { broker in
            let board = InteractionView()
            board.connection = broker.connect()
            let (card, other) = (
                PlaceCard(frame: CGRect(x: 0, y: 0, width: 50, height: 50), place: "Sequoia"),
                PlaceCard(frame: CGRect(x: 50, y: 0, width: 50, height: 50), place: nil)
            )
            for view in [card.view, other.view] { board.addSubview(view) }
            try await #expect(board.beginDrag(at: CGPoint(x: 60, y: 10)) == nil)

            let moved = try #require(try await board.beginDrag(at: CGPoint(x: 10, y: 10)))
            #expect(try await moved.move(to: .here(20, 20)).operation == .forbidden)
            #expect(try await moved.move(to: .here(60, 10)).operation == .move)
            #expect(other.isHighlighted && !card.isHighlighted)
            try await moved.drop()
            #expect(try await moved.outcome().text == "transferred move")
            #expect(card.place == nil && other.place == "Sequoia")

            let far = PlaceCard(frame: .zero, place: "Yosemite")
            try await far.view.register(as: "far", connection: broker.connect())
            let two = try await PasteboardKit.Drag.begin([.text("a"), .text("b")], connection: broker.connect())
            #expect(try await two.move(to: DropLocation("far")).operation == .cancel)
            await two.cancel()
            let picture = ItemProvider()
            picture.registerDataRepresentation(for: .png) { Data() }
            let wrong = try await PasteboardKit.Drag.begin(
                [DragItem(itemProvider: picture)],
                connection: broker.connect()
            )
            #expect(try await wrong.move(to: DropLocation("far")).operation == .cancel)
            await wrong.cancel()
            let text = try await PasteboardKit.Drag.begin([.text("Pinnacles")], connection: broker.connect())
            try await text.move(to: DropLocation("far"))
            try await text.drop()
            _ = try await text.outcome()
            #expect(far.place == "Pinnacles")
        }
    }

    @Test("Rows are copied to another table, with placeholders, and reordered within their own table")
    @MainActor func cityList() async throws {
        try await DragBroker.with { broker in
            let (west, east) = (CityList(["Reno", "Boise", "Provo"]), CityList(["Ghent", "Lille"]))
            west.tableView.connection = broker.connect()
            try await east.tableView.register(as: "east", connection: broker.connect())
            let rearranged = try #require(try await west.tableView.beginDrag(at: IndexPath(row: 0, section: 0)))
            let end = DropLocation("", indexPath: IndexPath(row: 3, section: 0))
            #expect(try await rearranged.move(to: end).operation == .move)
            try await rearranged.drop()
            #expect(try await rearranged.outcome().text == "transferred move")
            #expect(west.cities == ["Boise", "Provo", "Reno"])

            west.tableView.allowsMultipleSelection = true
            west.tableView.selectRow(at: IndexPath(row: 0, section: 0))
            west.tableView.selectRow(at: IndexPath(row: 2, section: 0))
            let copied = try #require(try await west.tableView.beginDrag(at: IndexPath(row: 2, section: 0)))
            let place = DropLocation("east", indexPath: IndexPath(row: 1, section: 0))
            #expect(try await copied.move(to: place).operation == .copy)
            try await copied.drop()
            #expect(try await copied.outcome().text == "transferred copy")
            #expect(east.cities == ["Ghent", "Boise", "Reno", "Lille"])
            #expect(west.cities == ["Boise", "Provo", "Reno"])
        }
    }

    @Test("A snippet is copied in several types, which its owner provides when they are pasted")
    func snippetCopier() async throws {
        try await TestBroker.serving { broker in
            let lost = Gate()
            let (source, pasteboard) = (broker.pasteboard(), broker.pasteboard())
            let reader = SnippetReader(pasteboard: NSPasteboard(pasteboard))
            #expect(reader.bestText() == nil)
            SnippetCopier(code: "let x = 1", lostOwnership: lost.open).copy(to: NSPasteboard(source))
            #expect(try await NSPasteboard(pasteboard).types == [.html, .string, SnippetCopier.sourceType])
            #expect(reader.bestText() == "let x = 1")
            #expect(try await NSPasteboard(pasteboard).string(forType: .html) == "<pre>let x = 1</pre>")
            #expect(try await pasteboard.string == "let x = 1")
            #expect(!lost.isOpen)
            #expect(reader.append(["one", "two"]))
            await lost.wait()
            #expect(try await UIPasteboard(source).strings == ["one", "two"])
            #expect(reader.links().isEmpty)
            let link = try #require(URL(string: "https://example.com"))
            try await source.write(link)
            #expect(reader.links() == [link])
        }
    }

    @Test("A clipboard service remembers what others copy, leaves secrets out, and copies rows and files")
    @MainActor func clipboardService() async throws {
        try await TestBroker.serving { broker in
            let pasteboard = broker.pasteboard()
            let service = ClipboardService(pasteboard: NSPasteboard(broker.pasteboard()))
            #expect(service.isEmpty)
            #expect(service.describe() == "nothing")
            #expect(!service.canPaste())
            try await pasteboard.write(Data("a\tb\nc\td".utf8), for: .utf8TabSeparatedText)
            #expect(service.pasteRows() == [["a", "b"], ["c", "d"]])
            #expect(service.describe() == "public.utf8-tab-separated-values-text")
            service.poll()
            service.copy("own")
            service.poll()
            try await pasteboard.write("one")
            service.poll()
            service.poll()
            var options = Pasteboard.WriteOptions()
            options.isConcealed = true
            try await pasteboard.write("secret", options: options)
            #expect(service.isSecret)
            service.poll()
            #expect(service.history.map(\.text) == ["one", "a\tb\nc\td"])
            let clip = Clip(text: "two", date: Date(timeIntervalSince1970: 0))
            try service.copy(clip)
            #expect(try service.pasteClip() == clip)
            #expect(try await pasteboard.string == "two")
            let file = URL(filePath: "/nowhere/a.txt")
            let link = try #require(URL(string: "https://example.com"))
            #expect(service.copy([file, link]))
            #expect(service.pasteFiles() == [file])
            #expect(service.canPaste())
        }
    }

    @Test("A share controller copies texts, links, codes and pictures, and pastes them")
    @MainActor func shareController() async throws {
        try await TestBroker.serving { broker in
            let source = ShareController(pasteboard: UIPasteboard(broker.pasteboard()))
            let controller = ShareController(pasteboard: UIPasteboard(broker.pasteboard()))
            #expect(!controller.canPaste)
            try await source.pasteboard.pasteboard.write("one")
            #expect(controller.canPaste)
            controller.pasteText()
            #expect(!controller.canPasteLink)
            controller.copyText()
            source.pasteText()
            #expect(source.text == "one")
            try await source.pasteboard.pasteboard.write(try #require(URL(string: "https://example.com")))
            #expect(controller.canPasteLink)
            controller.pasteLink()
            #expect(controller.link?.host() == "example.com")
            source.copyPicture(Data("png".utf8))
            #expect(controller.canPaste)
            controller.pastePicture()
            #expect(controller.attachments == [Data("png".utf8)])
            controller.copyLink()
            #expect(source.canPasteLink)
            source.copyCode("1")
            #expect(try await controller.pasteboard.pasteboard.contents().terms.isLocalOnly)
            let suggested = await result { done in controller.suggest(done) }
            #expect(!suggested)
            try await source.pasteboard.pasteboard.write([source.itemProvider()])
            controller.receivePasteboard()
            try await eventually("the text") { controller.text == "oneone" }
        }
    }

    @Test("A one-time code is copied for a short time, and is suggested without being read")
    func oneTimeCode() async throws {
        try await TestBroker.serving { broker in
            let (source, pasteboard) = (broker.pasteboard(), broker.pasteboard())
            let suggestion = PasteSuggestion(pasteboard: UIPasteboard(pasteboard))
            #expect(suggestion.code() == nil)
            #expect(suggestion.texts() == nil)
            let code = OneTimeCode(code: "246810", validUntil: Date(timeIntervalSinceNow: 600))
            code.copy(to: UIPasteboard(source))
            let terms = try await pasteboard.contents().terms
            #expect(terms.isLocalOnly && terms.expiresIn.map { $0 > .zero && $0 <= .seconds(600) } == true)
            #expect(suggestion.code() == "246810")
            #expect(suggestion.texts() == ["246810"])
            let suggested = await result { done in suggestion.suggest { done([$0, $1]) } }
            #expect(suggested == [true, false])
            OneTimeCode(code: "1", validUntil: Date(timeIntervalSinceNow: -1)).copy(to: UIPasteboard(source))
            try await eventually("the expiry") { try await pasteboard.contents().items.isEmpty }
            #expect(suggestion.code() == nil)
        }
    }
}
