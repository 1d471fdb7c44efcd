import FoundationEssentials
import PasteboardKit
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing
import TypeIdentifiers

/// Additions to a program's own contents.
@Suite(.inProcess)
struct AdditionTests {
    private func html(_ text: String) -> ItemProvider {
        .making(.html) { Data(text.utf8) }
    }

    /// A broker that answers the second commit when it may, and then asks for the second representation of the first
    /// item.
    private static func slowBroker(
        _ committing: Gate,
        _ goOn: Semaphore,
        _ bytes: @escaping @Sendable ([UInt8]) -> Void
    )
        -> ScriptedBroker
    {
        let commits = Counter()
        return ScriptedBroker { peer, frame in
            if frame.kind == .data { bytes(frame.payload) }
            guard frame.kind == .commit else { return }
            let number = commits.increment()
            if number == 2 {
                committing.open()
                goOn.wait()
            }
            var committed = Committed()
            (committed.changeCount, committed.epoch, committed.handle) = (5, 1, 7)
            try peer.send(committed, stream: frame.stream)
            guard number > 1 else { return }
            try peer.send(End(), stream: frame.stream)
            guard number == 3 else { return }
            var ask = Ask()
            (ask.handle, ask.item, ask.representation, ask.type, ask.credit) = (7, 0, 1, "public.html", 100)
            try peer.send(ask, stream: 2)
        }
    }

    @Test("An addition that is cancelled after its commit is known, and the next one waits until it is decided")
    func cancelled() async throws {
        let (committing, goOn) = (Gate(), Semaphore())
        let (received, continuation) = AsyncStream<[UInt8]>.makeStream()
        let broker = Self.slowBroker(committing, goOn) { continuation.yield($0) }
        let publication = try await Pasteboard(name: .general, connection: broker.connect()).write([.text("a")])
        let provider = html("<b>")
        let addition = Task { try await publication.add(provider, toItemAt: 0) }
        await committing.wait()
        addition.cancel()
        await expectError(.cancelled) { try await addition.value }
        let last = ItemProvider.making(.rtf) { Data("rtf".utf8) }
        async let next: Void = publication.add(last, toItemAt: 0)
        goOn.signal()
        try await next
        var answers = received.makeAsyncIterator()
        #expect(await answers.next() == Array("<b>".utf8))
    }

    @Test("Items and representations are added under the same change count, and their loads reach the right handlers")
    func adding() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([.text("a")])
            let before = try await broker.pasteboard().contents()
            try await publication.add([html("<b>")])
            try await publication.add(.text("b"), toItemAt: 1)
            try await publication.add(html("<a>"), toItemAt: 0)
            try await publication.add([.text("c")], keeps: .everything)
            let contents = try await broker.pasteboard().contents()
            #expect(contents.changeCount == before.changeCount && contents.version == before.version + 4)
            #expect(
                contents.items.map { $0.representations.map(\.type) }
                    == [[.utf8PlainText, .html], [.html, .utf8PlainText], [.utf8PlainText]]
            )
            #expect(contents.items[2].representations.map(\.state) == [.kept])
            for (item, texts) in zip(contents.items, [["a", "<a>"], ["<b>", "b"], ["c"]]) {
                for (representation, text) in zip(item.representations, texts) {
                    #expect(try await item.itemProvider.loadData(for: representation.type) == Data(text.utf8))
                }
            }
            // An earlier list still works.
            #expect(try await before.items[0].itemProvider.loadData(for: .utf8PlainText) == Data("a".utf8))
        }
    }

    @Test("Simultaneous additions each add their items")
    func simultaneous() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([.text("first")])
            try await withThrowingTaskGroup { group in
                for number in 0..<20 { group.addTask { try await publication.add([.text("\(number)")]) } }
                try await group.waitForAll()
            }
            var texts: [String] = []
            for item in try await broker.pasteboard().contents().items {
                texts.append(try await item.itemProvider.load(String.self))
            }
            #expect(Set(texts) == Set((0..<20).map(String.init) + ["first"]) && texts.first == "first")
        }
    }
}
