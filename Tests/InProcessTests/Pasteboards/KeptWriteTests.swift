import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

/// Writes whose bytes the broker has when they return.
@Suite(.inProcess)
struct KeptWriteTests {
    private struct Broken: Error {}

    /// A provider with two types, whose handlers count their calls.
    private func provider(_ text: String, _ calls: Counter) -> ItemProvider {
        let provider = ItemProvider()
        provider.suggestedName = text
        provider.registerDataRepresentation(for: .html) {
            calls.increment()
            return Data("<b>\(text)</b>".utf8)
        }
        provider.registerDataRepresentation(for: .utf8PlainText, policy: .onceAndKept) { completion in
            calls.increment()
            completion(Data(text.utf8), nil)
            return nil
        }
        return provider
    }

    @Test("Values that exist are kept by default and outlive their program; item providers are promised")
    func values() async throws {
        try await TestBroker.with { broker in
            let url = try #require(URL(string: "https://example.com"))
            let writes: [(String, (Pasteboard) async throws -> Publication)] = [
                ("a", { try await $0.write("a") }),
                ("https://example.com", { try await $0.write(url) }),
                ("{}", { try await $0.write(Data("{}".utf8), for: .json) }),
            ]
            for (text, write) in writes {
                let source = broker.pasteboard()
                let publication = try await write(source)
                await source.connection.close()
                #expect(try await broker.pasteboard().loadData(for: .data) == Data(text.utf8))
                withExtendedLifetime(publication) {}
            }
            let source = broker.pasteboard()
            let promises: [(Pasteboard) async throws -> Publication] = [
                { try await $0.write([ItemProvider(object: "a")]) },
                { try await $0.write("a", keeps: .nothing) },
                { try await $0.write(Data(), for: .json, keeps: .nothing) },
            ]
            for write in promises {
                let publication = try await write(source)
                let items = try await broker.pasteboard().contents().items
                #expect(items.map { $0.representations.map(\.state) } == [[.promised]])
                withExtendedLifetime(publication) {}
            }
        }
    }

    @Test("A write that keeps everything runs each handler once, and its contents outlive the source")
    func everything() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let source = broker.pasteboard()
            let providers = ["a", "", "c"].map { provider($0, calls) }
            try await source.write(providers, keeps: .everything)
            #expect(calls.value == 6)
            await source.connection.close()
            let items = try await broker.pasteboard().contents().items
            #expect(items.map { $0.representations.map(\.state) } == Array(repeating: [.kept, .kept], count: 3))
            #expect(items.map(\.itemProvider.suggestedName) == ["a", nil, "c"])
            #expect(items[0].representations.map(\.byteCount) == [8, 1])
            for (item, text) in zip(items, ["a", "", "c"]) {
                #expect(try await item.itemProvider.loadData(for: .html) == Data("<b>\(text)</b>".utf8))
                #expect(try await item.itemProvider.loadData(for: .utf8PlainText) == Data(text.utf8))
            }
            #expect(calls.value == 6)
        }
    }

    @Test("A write that keeps the first types promises the others")
    func firstTypes() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let source = broker.pasteboard()
            try await source.write([provider("a", calls), provider("b", calls)], keeps: .firstTypes)
            #expect(calls.value == 2)
            let items = try await broker.pasteboard().contents().items
            #expect(items.map { $0.representations.map(\.state) } == Array(repeating: [.kept, .promised], count: 2))
            #expect(try await items[1].itemProvider.loadData(for: .utf8PlainText) == Data("b".utf8))
            #expect(calls.value == 3)
            await source.connection.close()
            #expect(try await items[1].itemProvider.loadData(for: .html) == Data("<b>b</b>".utf8))
            await expectError(.sourceGone) { try await items[0].itemProvider.loadData(for: .utf8PlainText) }
        }
    }

    @Test("Streams, files and folders of all sizes are kept")
    func forms() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "tree/inner"),
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = Data((0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try bytes.write(to: folder.appending(path: "tree/inner/file"))
        try await TestBroker.with { broker in
            let stream = ItemProvider()
            stream.registerByteStream(for: .data) { writer in
                for start in stride(from: 0, to: bytes.count, by: 100_000) {
                    try await writer.write(bytes[start..<min(bytes.count, start + 100_000)])
                }
            }
            let file = try #require(ItemProvider(contentsOf: folder.appending(path: "tree/inner/file")))
            let tree = try #require(ItemProvider(contentsOf: folder.appending(path: "tree")))
            let source = broker.pasteboard()
            try await source.write([stream, file, tree], keeps: .everything)
            await source.connection.close()
            let items = try await broker.pasteboard().contents().items.map(\.itemProvider)
            for item in items[0...1] { #expect(try await item.loadData(for: .data) == bytes) }
            #expect(items[1].suggestedName == "file")
            try await items[2].withLoadedFile(for: .folder) { loaded in
                #expect(loaded.value.lastPathComponent == "tree")
                let kept = try Data(contentsOf: loaded.value.appending(path: "inner/file"))
                #expect(kept == bytes)
            }
        }
    }

    @Test("An error of a handler fails the write, and the old contents stay", arguments: [0, 1])
    func failingHandler(index: Int) async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let before = try await pasteboard.write([.text("stays")])
            let broken = ItemProvider.making(.data) { throw Broken() }
            var providers: [ItemProvider] = [.text("never")]
            providers.insert(broken, at: index)
            let error = await expectError(.sourceFailed) { try await pasteboard.write(providers, keeps: .everything) }
            #expect(error?.sourceError?.domain.hasSuffix("Broken") == true)
            #expect(before.isCurrent)
            #expect(try await pasteboard.load(String.self) == "stays")
        }
    }

    @Test(
        "A write that ends while a handler runs cancels the handler, and the old contents stay",
        arguments: [false, true]
    )
    func cancelling(isCancelled: Bool) async throws {
        try await TestBroker.with { broker in
            let pasteboard = broker.pasteboard()
            let before = try await pasteboard.write([.text("stays")])
            // A short timeout may pass before the handler begins.
            for doublings in 0... {
                let (started, cancelled) = (Gate(), Gate())
                let slow = ItemProvider.making(.data) {
                    started.open()
                    await withTaskCancellationHandler {
                        await cancelled.wait()
                    } onCancel: {
                        cancelled.open()
                    }
                    throw Broken()
                }
                let write = Task {
                    let timeout: Duration? = isCancelled ? nil : .milliseconds(100 << doublings)
                    try await pasteboard.write([.text("a"), slow], keeps: .everything, timeout: timeout)
                }
                if isCancelled {
                    await started.wait()
                    write.cancel()
                }
                let error = await #expect(throws: PasteboardError.self) { try await write.value }
                #expect(error?.code == (isCancelled ? .cancelled : .timeout))
                #expect(before.isCurrent)
                guard started.isOpen else { continue }
                await cancelled.wait()
                break
            }
        }
    }

    @Test("A stream that never ends is stopped when the broker has no room for it")
    func endless() async throws {
        try await TestBroker.with(limits: ["kept-pool": "16MiB"]) { broker in
            let pasteboard = broker.pasteboard()
            let before = try await pasteboard.write([.text("stays")])
            let (written, stopped) = (Counter(), Gate())
            let provider = ItemProvider()
            provider.registerByteStream(for: .data) { writer in
                defer { stopped.open() }
                while true {
                    try await writer.write(Data(repeating: 7, count: 1 << 16))
                    written.increment()
                }
            }
            await expectError(.noSpace) { try await pasteboard.write([provider], keeps: .everything) }
            await stopped.wait()
            // The room of the broker, and what the socket and its buffers hold.
            #expect(written.value << 16 < 48 << 20)
            #expect(before.isCurrent)
        }
    }
}
