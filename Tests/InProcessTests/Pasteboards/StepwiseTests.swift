import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing
import TypeIdentifiers

@testable import PasteboardCompatibility

/// Writes step by step, in the shape of NSPasteboard.
@Suite(.inProcess)
struct StepwiseTests {
    private final class Owner: NSPasteboardTypeOwner {
        let asked = Lock<[String]>([])
        let changed = Gate()

        func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) async throws {
            asked.withLock { $0.append(type.rawValue) }
            if type == .rtf { return }
            try await sender.setString("made as \(type.rawValue)", forType: type)
        }

        func pasteboardChangedOwner(_ sender: NSPasteboard) async { changed.open() }
    }

    @Test("The owner of declared types is asked once for each type that was not set, and notified of the end")
    func owner() async throws {
        try await TestBroker.with { broker in
            let (owner, source) = (Owner(), NSPasteboard(broker.pasteboard()))
            try await source.declareTypes([.html, .string, .rtf], owner: owner)
            try await source.setString("set", forType: .string)
            let pasteboard = NSPasteboard(broker.pasteboard())
            #expect(try await pasteboard.types == [.html, .string, .rtf])
            #expect(owner.asked.withLock { $0 }.isEmpty)
            for _ in 0..<2 {
                #expect(try await pasteboard.string(forType: .html) == "made as public.html")
                #expect(try await pasteboard.string(forType: .string) == "set")
            }
            #expect(owner.asked.withLock { $0 } == ["public.html"])
            await expectError(.sourceFailed) { try await pasteboard.data(forType: .rtf) }
            #expect(!owner.changed.isOpen)
            try await pasteboard.clearContents()
            await owner.changed.wait()
        }
    }

    @Test("After the pasteboard was cleared, data is set and kept; after another program has written, it is not")
    func setting() async throws {
        try await TestBroker.with { broker in
            let source = NSPasteboard(broker.pasteboard())
            await expectError(.superseded) { try await source.setString("a", forType: .string) }
            #expect(try await !source.writeObjects([NSString("a")]))
            try await source.clearContents()
            #expect(try await source.setString("b", forType: .string))
            #expect(try await broker.pasteboard().string == "b")
            try await source.clearContents()
            try await broker.pasteboard().write("theirs")
            await expectError(.superseded) { try await source.setString("c", forType: .string) }
            try await source.clearContents()
            #expect(try await source.writeObjects([NSString("d"), NSURL(string: "e:f")!]))
            await source.pasteboard.connection.close()
            let kept = try await NSPasteboard(broker.pasteboard()).readObjects(forClasses: [NSURL.self, NSString.self])
            #expect(kept?.first as? String == "d" && kept?.last as? URL == URL(string: "e:f"))
        }
    }

    @Test("Data that is set again after a clear replaces the data before, and data that was loaded is not replaced")
    func settingAgain() async throws {
        try await TestBroker.with { broker in
            let (source, reader) = (NSPasteboard(broker.pasteboard()), NSPasteboard(broker.pasteboard()))
            try await source.clearContents()
            try await source.setString("a", forType: .string)
            try await source.setString("<a>", forType: .html)
            try await source.setString("b", forType: .string)
            #expect(try await reader.string(forType: .string) == "b")
            #expect(try await reader.string(forType: .html) == "<a>")
            try await source.clearContents()
            try await source.addTypes([.string], owner: nil)
            try await source.addTypes([.string, .html], owner: nil)
            #expect(try await reader.types == [.string, .html])
            try await source.setString("c", forType: .string)
            try await source.setString("d", forType: .string)
            #expect(try await reader.pasteboard.string == "d")
            await expectError(.invalidArgument) { try await source.setString("e", forType: .string) }
            #expect(try await reader.pasteboard.string == "d")
        }
    }

    @Test("Declared data belongs to its write: a write that fails and a later write do not change it")
    func ownValues() async throws {
        try await TestBroker.with { broker in
            let (source, reader) = (NSPasteboard(broker.pasteboard()), NSPasteboard(broker.pasteboard()))
            try await source.declareTypes([.string, .html], owner: nil)
            try await source.setString("one", forType: .string)
            try await source.setString("<one>", forType: .html)
            _ = await #expect(throws: PasteboardError.self) { try await source.declareTypes([], owner: nil) }
            #expect(try await reader.string(forType: .string) == "one")
            try await source.declareTypes([.string], owner: nil)
            await expectError(.sourceFailed) { try await reader.string(forType: .string) }
        }
    }

    /// Writes to another pasteboard, and sets another type, before it provides the data.
    private final class BusyOwner: NSPasteboardTypeOwner {
        let other: NSPasteboard
        let ends = Counter()

        init(_ other: NSPasteboard) {
            self.other = other
        }

        func pasteboard(_ sender: NSPasteboard, provideDataForType type: NSPasteboard.PasteboardType) async throws {
            try await other.clearContents()
            try await other.setString("other", forType: type)
            try await sender.setString("<set>", forType: .html)
            try await sender.setString("provided", forType: type)
        }

        func pasteboardChangedOwner(_ sender: NSPasteboard) async { ends.increment() }
    }

    @Test("An owner that is asked for a type may write to other pasteboards, and is notified once of the end")
    func busyOwner() async throws {
        try await TestBroker.with { broker in
            let connection = broker.pasteboard().connection
            let source = NSPasteboard(Pasteboard(name: .general, connection: connection))
            let owner = BusyOwner(NSPasteboard(Pasteboard(name: .find, connection: connection)))
            try await source.declareTypes([.string], owner: owner)
            try await source.addTypes([.html], owner: owner)
            let reader = NSPasteboard(broker.pasteboard())
            #expect(try await reader.string(forType: .string) == "provided")
            #expect(try await reader.string(forType: .html) == "<set>")
            #expect(try await Pasteboard(name: .find, connection: reader.pasteboard.connection).string == "other")
            let last = Owner()
            try await source.declareTypes([.string], owner: last)
            try await reader.clearContents()
            await last.changed.wait()
            // The notices of both owners have no order.
            try await eventually("the notice of the first owner") { owner.ends.value > 0 }
            #expect(owner.ends.value == 1)
        }
    }

    @Test(
        "An owner may not wait while the main thread loads from its pasteboard, but from one of the name elsewhere",
        arguments: [true, false]
    )
    @MainActor func blocked(isElsewhere: Bool) async throws {
        try await TestBroker.serving { broker in
            let source = NSPasteboard(broker.pasteboard())
            let owner = BusyOwner(NSPasteboard(broker.pasteboard(.find)))
            try await source.declareTypes([.string], owner: owner)
            let reader = NSPasteboard(broker.pasteboard())
            _ = try await reader.count()
            let loaded = isElsewhere ? Pasteboard.general : reader.pasteboard
            let text = BlockingCall.value(loadingFrom: loaded) { try await reader.string(forType: .string) }
            #expect(text == (isElsewhere ? "provided" : nil))
        }
    }

    @Test("The steps of a program do not keep its connection")
    func lifetime() async throws {
        try await TestBroker.with { broker in
            var source: NSPasteboard? = NSPasteboard(broker.pasteboard())
            weak let connection = source?.pasteboard.connection
            try await source?.declareTypes([.string], owner: Owner())
            #expect(connection != nil)
            source = nil
            // The task that has connected may still be ending.
            try await eventually("the release of the connection") { connection == nil }
        }
    }

    @Test("All values for a pasteboard of the program's connection continue the same steps, those of others do not")
    func shared() {
        let name = NSPasteboard.Name("steps")
        let own = Pasteboard(name: name, connection: PasteboardConnection())
        #expect(NSPasteboard(Pasteboard(name: name)).contents === NSPasteboard(name: name).contents)
        #expect(NSPasteboard(own).contents !== NSPasteboard(own).contents)
    }

    @Test("Steps after a declaration add types and items")
    func steps() async throws {
        try await TestBroker.with { broker in
            let source = NSPasteboard(broker.pasteboard())
            try await source.declareTypes([.html], owner: nil)
            try await source.setString("<a>", forType: .html)
            try await source.setString("a", forType: .string)
            try await source.addTypes([.rtf], owner: nil)
            try await source.setString("{}", forType: .rtf)
            #expect(try await source.writeObjects([NSString("b")]))
            let pasteboard = broker.pasteboard()
            let items = try await pasteboard.contents().items
            #expect(items.map { $0.representations.map(\.type) } == [[.html, .utf8PlainText, .rtf], [.utf8PlainText]])
            #expect(items[0].representations.map(\.state) == [.promised, .kept, .promised])
            #expect(try await NSPasteboard(pasteboard).string(forType: .string) == "a\nb")
            #expect(try await NSPasteboard(pasteboard).string(forType: .rtf) == "{}")
        }
    }

    @Test("Objects of Foundation's classes are written with a lifetime and for this machine only, like values")
    func foundationObjects() async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let date = Date(timeIntervalSinceNow: 600)
            try await UIPasteboard(pasteboard).setObjects([NSString("a")], localOnly: true, expirationDate: date)
            let contents = try await pasteboard.contents()
            #expect(contents.terms.isLocalOnly && contents.terms.expiresIn.map { $0 <= .seconds(600) } == true)
            let url = try #require(NSURL(string: "b:c"))
            try await UIPasteboard(pasteboard).setObjects([url], localOnly: true, expirationDate: nil)
            #expect(try await pasteboard.contents().terms.description == "local only")
            try await UIPasteboard(pasteboard).setObjects([url])
            #expect(try await pasteboard.contents().terms.description == "no terms")
        }
    }

    @Test("Items of values are kept, whatever their order, and a value of another type is refused")
    func items() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            try await UIPasteboard(source).setItems([
                ["public.utf8-plain-text": "a", "public.data": Data([1])], ["public.url": "b:c"],
            ])
            await source.connection.close()
            let pasteboard = broker.pasteboard()
            let items = try await pasteboard.contents().items
            #expect(items.map { $0.representations.map(\.state) } == [[.kept, .kept], [.kept]])
            #expect(try await UIPasteboard(pasteboard).data(forPasteboardType: "public.data") == Data([1]))
            #expect(try await UIPasteboard(pasteboard).contains(pasteboardTypes: ["public.url"]))
            await expectError(.invalidArgument) {
                try await UIPasteboard(pasteboard).setItems([["public.utf8-plain-text": 7]])
            }
        }
    }
}
