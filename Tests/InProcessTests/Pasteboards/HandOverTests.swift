import FoundationEssentials
import PasteboardKit
import TestSupport
import Testing

/// Hand-overs of promises to the broker, before their source ends.
@Suite(.inProcess)
struct HandOverTests {
    /// Long enough for a busy machine.
    private static let patience = Duration.seconds(600)

    private func provider(_ type: UniformType, _ bytes: String) -> ItemProvider {
        .making(type) { Data(bytes.utf8) }
    }

    @Test("Contents that were handed over can be loaded after their source has ended")
    func everything() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            let first = provider(.utf8PlainText, "text")
            first.registerDataRepresentation(for: .html) { Data("<p>".utf8) }
            let publication = try await source.write([first, provider(.png, "png")])
            let outcome = try await publication.handOver(timeout: Self.patience)
            #expect(outcome.kept == [.utf8PlainText, .html, .png] && outcome.isComplete)
            #expect(try await publication.outcome() == .handedOver && !publication.isCurrent)
            await source.connection.close()
            #expect(try await publication.outcome() == .handedOver)

            let contents = try await broker.pasteboard().contents()
            #expect(contents.changeCount == publication.changeCount && contents.items.count == 2)
            #expect(contents.items[0].representations.map(\.type) == [.utf8PlainText, .html])
            let texts = try await contents.items[0].itemProvider.loadData(for: .html)
            let images = try await contents.items[1].itemProvider.loadData(for: .png)
            #expect(texts == Data("<p>".utf8) && images == Data("png".utf8))
        }
    }

    @Test("A handler that does not end or that fails is dropped, and the others are kept")
    func stuck() async throws {
        try await TestBroker.with { broker in
            let never = Gate()
            let source = broker.pasteboard()
            let provider = ItemProvider.waiting(.png, for: never)
            provider.registerDataRepresentation(for: .html) { throw CancellationError() }
            provider.registerDataRepresentation(for: .utf8PlainText) { Data("text".utf8) }
            let publication = try await source.write([provider])
            var outcome: Publication.HandOver
            // On a busy machine, no handler may end in time.
            repeat {
                outcome = try await publication.handOver(timeout: .milliseconds(500))
            } while outcome.kept.isEmpty
            #expect(outcome.kept == [.utf8PlainText] && outcome.dropped == [.png, .html])
            #expect(publication.isCurrent)
            never.open()
            await source.connection.close()
            let item = try #require(try await broker.pasteboard().contents().items.first)
            #expect(try await item.itemProvider.loadData(for: .utf8PlainText) == Data("text".utf8))
        }
    }

    @Test("What exceeds the limit of bytes is dropped, also if its size is not known before")
    func byteLimit() async throws {
        try await TestBroker.with { broker in
            let (source, reader, calls) = (broker.pasteboard(), broker.pasteboard(), Counter())
            let stream = ItemProvider()
            stream.registerByteStream(for: .html) { writer in
                // The chunks take their room one by one, so the others come first: the text, and then the image.
                let others = min(calls.increment(), 2)
                try await eventually("the hand-over of \(others) others") {
                    try await reader.contents().version >= others
                }
                for _ in 0..<10 { try await writer.write(Data(count: 20)) }
            }
            let publication = try await source.write([
                provider(.png, String(repeating: "x", count: 101)), stream, provider(.utf8PlainText, "text"),
            ])
            let outcome = try await publication.handOver(maximumByteCount: 100, timeout: Self.patience)
            #expect(outcome.kept == [.utf8PlainText] && outcome.dropped == [.png, .html])
            // The limit counts for each call.
            #expect(try await publication.handOver(maximumByteCount: 101, timeout: Self.patience).dropped == [.html])
            #expect(try await publication.handOver(timeout: Self.patience).kept == [.png, .html, .utf8PlainText])
            #expect(try await publication.outcome() == .handedOver)
        }
    }

    @Test("Only the types that are named are handed over, and the publication stays")
    func types() async throws {
        try await TestBroker.with { broker in
            let source = broker.pasteboard()
            let publication = try await source.write([provider(.png, "png"), provider(.utf8PlainText, "text")])
            let outcome = try await publication.handOver(types: [.png], timeout: Self.patience)
            #expect(outcome.kept == [.png] && outcome.isComplete)
            #expect(publication.isCurrent)
            #expect(try await broker.pasteboard().load(String.self) == "text")
            #expect(try await publication.handOver(timeout: Self.patience).kept == [.png, .utf8PlainText])
        }
    }

    @Test("Concealed contents cannot be handed over, and their handlers do not run")
    func concealed() async throws {
        try await TestBroker.with { broker in
            let provider = ItemProvider.making(.png) {
                Issue.record("the handler runs")
                return Data()
            }
            let publication = try await broker.pasteboard().write([provider], options: .init(isConcealed: true))
            await expectError(.concealed) { try await publication.handOver() }
            #expect(publication.isCurrent)
        }
    }

    @Test("A hand-over whose broker is lost continues at the next one")
    func lost() async throws {
        try await TestBroker.with { broker in
            let (asked, gate) = (Gate(), Gate())
            let slow = ItemProvider.waiting(.png, asked: asked, for: gate, "png")
            let source = broker.pasteboard()
            let publication = try await source.write([slow, provider(.utf8PlainText, "text")])
            let handOver = Task { try await publication.handOver(timeout: Self.patience) }
            await asked.wait()
            try await broker.stop()
            let next = try broker.restart()
            gate.open()
            let outcome = try await handOver.value
            #expect(outcome.kept == [.png, .utf8PlainText] && outcome.isComplete)
            #expect(try await publication.outcome() == .handedOver)
            await source.connection.close()
            let contents = try await next.pasteboard().contents()
            #expect(contents.changeCount == publication.changeCount)
            #expect(try await contents.items[0].itemProvider.loadData(for: .png) == Data("png".utf8))
            try await next.stop()
        }
    }

    @Test("A hand-over that finds no other broker in time fails, and one of bound contents at once")
    func lostForGood() async throws {
        for loads in [nil, 5] {
            try await TestBroker.with { broker in
                let (asked, gate) = (Gate(), Gate())
                let slow = ItemProvider.waiting(.png, asked: asked, for: gate)
                let publication = try await broker.pasteboard().write([slow], options: .init(maximumLoads: loads))
                let deadline = loads == nil ? Duration.seconds(1) : Self.patience
                let handOver = Task { try await publication.handOver(timeout: deadline) }
                await asked.wait()
                try await broker.stop()
                gate.open()
                let error = await #expect(throws: PasteboardError.self) { try await handOver.value }
                #expect(loads == nil ? error?.code == .timeout : error?.code != .timeout)
            }
        }
    }

    @Test("A hand-over waits for the loads that are under way")
    func underWay() async throws {
        try await TestBroker.with { broker in
            let (asked, gate) = (Gate(), Gate())
            let calls = Counter()
            let provider = ItemProvider.making(.png) {
                if calls.increment() == 1 {
                    asked.open()
                    await gate.wait()
                }
                return Data("png".utf8)
            }
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first)
            let load = Task { try await item.itemProvider.loadData(for: .png) }
            await asked.wait()
            let handOver = Task { try await publication.handOver(timeout: Self.patience) }
            // The bytes are at the broker before the first load has ended.
            let reader = broker.pasteboard()
            try await eventually("the hand-over") { try await reader.contents().version > 0 }
            #expect(publication.isCurrent)
            gate.open()
            #expect(try await load.value == Data("png".utf8))
            #expect(try await handOver.value.isComplete)
        }
    }
}
