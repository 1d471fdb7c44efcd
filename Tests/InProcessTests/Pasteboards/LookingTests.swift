import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing
import TypeIdentifiers

/// Questions about a pasteboard that load nothing, and reads in the shapes of NSPasteboard and UIPasteboard.
@Suite(.inProcess)
struct LookingTests {
    /// Two items: HTML and text, and a URL.
    private func items(_ calls: Counter) -> [ItemProvider] {
        let first = ItemProvider.making(.html) {
            calls.increment()
            return Data("<i>one</i>".utf8)
        }
        first.registerDataRepresentation(for: .utf8PlainText) {
            calls.increment()
            return Data("one".utf8)
        }
        let second = ItemProvider.making(.utf8PlainText) {
            calls.increment()
            return Data("two".utf8)
        }
        second.registerDataRepresentation(for: .fileURL) {
            calls.increment()
            return Data("file:///tmp/picture.png".utf8)
        }
        return [first, second]
    }

    @Test("The types, the items and what can be loaded are known without a load")
    func looking() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let publication = try await broker.pasteboard().write(items(calls))
            let pasteboard = broker.pasteboard()
            #expect(try await pasteboard.types == [.html, .utf8PlainText, .fileURL])
            #expect(try await pasteboard.changeCount == publication.changeCount)
            let shape = UIPasteboard(pasteboard)
            #expect(try await shape.numberOfItems == 2)
            #expect(try await shape.itemProviders.count == 2)
            #expect(try await shape.hasStrings)
            #expect(try await shape.hasURLs)
            #expect(try await !shape.hasImages)
            #expect(try await pasteboard.canLoad(.url))
            #expect(try await !pasteboard.canLoad(.png))
            #expect(try await pasteboard.canLoad(URL.self))
            // The caller's order decides, not that of the items.
            let text = NSPasteboard.PasteboardType("public.plain-text")
            #expect(try await NSPasteboard(pasteboard).availableType(from: [.png, text, .html]) == text)
            #expect(try await NSPasteboard(pasteboard).canReadObject(forClasses: [NSURL.self]))
            #expect(calls.value == 0)
        }
    }

    @Test("Pasteboards, their contents and items print what a person wants to see")
    func descriptions() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard("notes")
            #expect("\(pasteboard) \(pasteboard.name)" == "notes notes")
            #expect("\(try await pasteboard.contents())".hasSuffix("empty"))
            let provider = ItemProvider(object: "text")
            provider.suggestedName = "note"
            #expect("\(provider)" == #"ItemProvider("note": public.utf8-plain-text)"#)
            let options = Pasteboard.WriteOptions(maximumLoads: 2, isTransient: true)
            try await pasteboard.write([provider], keeps: .everything, options: options)
            let contents = try await pasteboard.contents()
            #expect("\(contents.terms)" == "transient, loads left: 2")
            let item = #"item 0 "note": public.utf8-plain-text (kept, 4 bytes)"#
            #expect(contents.items.map(\.description) == [item])
            #expect(contents.description.hasPrefix("change count \(contents.changeCount), by "))
            #expect(contents.description.hasSuffix("), transient, loads left: 2, " + item))
        }
    }

    @Test("Values that a program prints are one readable line, without the library's own types")
    func printed() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard("notes")
            let provider = ItemProvider(object: "text")
            provider.suggestedName = "note"
            #expect("\(pasteboard.connection)" == "not connected to a broker")
            let before = try await pasteboard.clear()
            #expect("\(pasteboard.connection)" == "connected to a broker")
            let publication = try await pasteboard.write([provider], options: .init(isTransient: true))
            let change = try await pasteboard.nextChange(since: before)
            let count = publication.changeCount
            #expect("\(publication)" == "notes: change count \(count), current")
            #expect("\(change)".hasPrefix("notes: change count \(count), by "))
            #expect("\(change)".hasSuffix("), public.utf8-plain-text"))
            try await publication.withdraw()
            #expect("\(publication)" == "notes: change count \(count), withdrawn")
            let options = Pasteboard.WriteOptions(ifChangeCount: count, isConcealed: true, evictsOthers: false)
            let progress = LoadProgress(totalUnitCount: 9)
            progress.completedUnitCount = 3
            let cases: [(any CustomStringConvertible & Sendable, String)] = [
                (options, "concealed, only at change count \(count), evicts nothing"),
                (Pasteboard.WriteOptions(), "no terms"),
                (DropLocation("places"), "places"),
                (DropLocation("places", indexPath: [0, 3], point: Point(x: 1, y: 2.5)), "places [0, 3] (1.0, 2.5)"),
                (DropProposal(operation: .move), "move"),
                (DragItem(itemProvider: provider), #"DragItem(ItemProvider("note": public.utf8-plain-text))"#),
                (progress, "3 of 9"), (LoadProgress(), "0 of ?"),
            ]
            for (value, text) in cases { #expect("\(value)" == text) }
            await pasteboard.connection.close()
            #expect("\(pasteboard.connection)" == "not connected to a broker")
        }
    }

    @Test("Promises of a source that has ended are listed, but neither count as loadable nor are loaded")
    func gone() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            let promise = ItemProvider.text("promised")
            promise.registerDataRepresentation(for: .rtf) { Data() }
            let publication = try await source.write([promise])
            try await publication.add([ItemProvider.text("kept")], keeps: .everything)
            await source.connection.close()
            let pasteboard = broker.pasteboard()
            let states = try await pasteboard.contents().items.map { $0.representations.map(\.state) }
            #expect(states == [[.gone, .gone], [.kept]])
            #expect(try await pasteboard.types == [.utf8PlainText])
            #expect(try await !pasteboard.canLoad(.rtf))
            let item = try #require(try await pasteboard.contents().items.first).itemProvider
            #expect(!item.canLoad(String.self) && item.registeredContentTypes.isEmpty)
            #expect(item.bestType(of: [.data]) == nil && !item.hasItemConformingToTypeIdentifier("public.text"))
            for load in [
                { _ = try await item.loadData(for: .rtf) }, { _ = try await item.load(String.self) },
            ] {
                await expectError(.sourceGone) { try await load() }
            }
            #expect(try await pasteboard.string == "kept")
            #expect(try await UIPasteboard(pasteboard).strings == ["kept"])
            let shape = NSPasteboard(pasteboard)
            #expect(try await shape.string(forType: .string) == "kept")
            #expect(try await shape.data(forType: .rtf) == nil)
            #expect(try await shape.readObjects(forClasses: [NSString.self])?.count == 1)
            let lost = try #require(try await shape.pasteboardItems?.first)
            #expect(lost.types.isEmpty)
            #expect(try await lost.string(forType: .string) == nil)
        }
    }

    @Test("Empty data is data, and differs from a missing type")
    func empty() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            try await source.write("")
            let pasteboard = broker.pasteboard()
            #expect(try await pasteboard.string == "")
            #expect(try await UIPasteboard(pasteboard).strings == [""])
            #expect(try await pasteboard.loadData(for: .utf8PlainText) == Data())
            #expect(try await pasteboard.loadData(for: .png) == nil)
            try await source.clear()
            #expect(try await pasteboard.string == nil)
            #expect(try await pasteboard.loadData(for: .utf8PlainText) == nil)
        }
    }

    @Test("The text of the pasteboard joins all items, and the string is that of the first item")
    func texts() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write(items(Counter()))
            let pasteboard = broker.pasteboard()
            let shape = NSPasteboard(pasteboard)
            #expect(try await shape.string(forType: .string) == "one\ntwo")
            #expect(try await pasteboard.string == "one")
            #expect(try await UIPasteboard(pasteboard).strings == ["one", "two"])
            #expect(try await pasteboard.loadData(for: .fileURL) == Data("file:///tmp/picture.png".utf8))
            #expect(try await shape.string(forType: .rtf) == nil)
            #expect(try await pasteboard.loadData(for: .rtf) == nil)
            let second = try #require(try await shape.pasteboardItems?.last)
            #expect(second.types == [.string, .fileURL])
            #expect(try await second.string(forType: .string) == "two")
            #expect(try await second.data(forType: .URL) == Data("file:///tmp/picture.png".utf8))
            #expect(try await second.string(forType: .html) == nil)
            #expect(try await second.data(forType: .html) == nil)
            withExtendedLifetime(publication) {}
            try await pasteboard.clear()
            #expect(try await pasteboard.string == nil)
            #expect(try await UIPasteboard(pasteboard).strings == [])
        }
    }

    @Test("Each item is read by the first class that can read it, under the rules for URLs")
    func objects() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write(items(Counter()))
            let pasteboard = NSPasteboard(broker.pasteboard())
            let read = try await pasteboard.readObjects(forClasses: [NSURL.self, NSString.self]) ?? []
            #expect(read.first as? String == "one" && read.count == 2)
            #expect((read.last as? URL)?.path == "/tmp/picture.png")
            let strings = try await pasteboard.readObjects(forClasses: [NSString.self, NSURL.self]) as? [String]
            #expect(strings == ["one", "two"])
            let types = NSPasteboard.ReadingOptionKey.urlReadingContentsConformToTypes
            let images = try await pasteboard.readObjects(forClasses: [NSURL.self], options: [types: ["public.image"]])
            #expect(images?.count == 1)
            let texts = try await pasteboard.readObjects(forClasses: [NSURL.self], options: [types: ["public.text"]])
            #expect(texts?.isEmpty == true)
            withExtendedLifetime(publication) {}
        }
    }
}
