import Foundation
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

/// Behaviours of AppKit's and UIKit's pasteboards that their programs rely on.
@Suite(.inProcess)
struct AppleShapesTests {
    private final class Pictures: NSPasteboardItemDataProvider {
        let finished = AsyncStream.makeStream(of: Void.self)

        func pasteboardFinishedWithDataProvider(_ pasteboard: NSPasteboard) async { finished.continuation.yield() }

        func pasteboard(
            _ pasteboard: NSPasteboard?,
            item: NSPasteboardItem,
            provideDataForType type: NSPasteboard.PasteboardType
        ) async throws {
            item.setData(Data("png".utf8), forType: type)
        }
    }

    @Test("A type that is set again beside promised ones is refused, and the promises stay")
    func besideProvider() async throws {
        try await TestBroker.with { broker in
            let pasteboard = NSPasteboard(broker.pasteboard())
            let item = NSPasteboardItem()
            item.setDataProvider(Pictures(), forTypes: [.png])
            try await pasteboard.clearContents()
            #expect(try await pasteboard.writeObjects([item]))
            try await pasteboard.setString("a", forType: .string)
            await expectError(.invalidArgument) { try await pasteboard.setString("b", forType: .string) }
            #expect(try await pasteboard.data(forType: .png) == Data("png".utf8))
            #expect(try await pasteboard.string(forType: .string) == "a")
        }
    }

    @Test("A data provider of two items learns once that it is finished")
    func finished() async throws {
        try await TestBroker.with { broker in
            let (pasteboard, pictures) = (NSPasteboard(broker.pasteboard()), Pictures())
            let items = (0..<2).map { _ in NSPasteboardItem() }
            for item in items { item.setDataProvider(pictures, forTypes: [.png]) }
            try await pasteboard.clearContents()
            #expect(try await pasteboard.writeObjects(items))
            try await pasteboard.clearContents()
            var events = pictures.finished.stream.makeAsyncIterator()
            #expect(await events.next() != nil)
            // A second notification would come before that of later contents.
            let later = Pictures()
            let item = NSPasteboardItem()
            item.setDataProvider(later, forTypes: [.png])
            #expect(try await pasteboard.writeObjects([item]))
            try await pasteboard.clearContents()
            for await _ in later.finished.stream { break }
            pictures.finished.continuation.finish()
            #expect(await events.next() == nil)
        }
    }

    @Test("Types can be added to an item whose data was set")
    func added() async throws {
        try await TestBroker.with { broker in
            let pasteboard = NSPasteboard(broker.pasteboard())
            try await pasteboard.clearContents()
            try await pasteboard.setString("a", forType: .string)
            try await pasteboard.addTypes([.html], owner: nil)
            try await pasteboard.setString("<p>a", forType: .html)
            #expect(try await pasteboard.types == [.string, .html])
            #expect(try await pasteboard.string(forType: .html) == "<p>a")
        }
    }

    @Test("The first value is read without the items behind it")
    func firstOnly() async throws {
        try await TestBroker.with { broker in
            let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            let (good, bad) = (ItemProvider(), ItemProvider())
            good.registerDataRepresentation(for: .png) { picture }
            bad.registerDataRepresentation(for: .png) { throw CocoaError(.fileReadUnknown) }
            let publication = try await broker.pasteboard().write([good, bad])
            let pasteboard = UIPasteboard(broker.pasteboard())
            #expect(try await pasteboard.image?.pngData() == picture)
            #expect(try await (pasteboard.value(forPasteboardType: "public.png") as? UIImage)?.pngData() == picture)
            withExtendedLifetime(publication) {}
        }
    }

    @Test("The automatic type stands for all types of a value, also of one that is bridged, and not for bytes")
    func automatic() async throws {
        try await TestBroker.with { broker in
            let pasteboard = UIPasteboard(broker.pasteboard())
            let url = try #require(NSURL(string: "https://example.org"))
            try await pasteboard.setItems([[UIPasteboard.typeAutomatic: NSString(string: "a")]])
            #expect(try await pasteboard.string == "a")
            try await pasteboard.setItems([[UIPasteboard.typeAutomatic: url]])
            #expect(try await pasteboard.url == url as URL)
            await expectError(.invalidArgument) {
                try await pasteboard.setItems([[UIPasteboard.typeAutomatic: Data()]])
            }
        }
    }
}
