import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing

@Suite(.inProcess)
struct ObjectsBuiltInTests {
    private func provider(_ type: UniformType, _ bytes: [UInt8]) -> ItemProvider {
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: type) { Data(bytes) }
        return provider
    }

    private static let macintosh = UniformType(importedAs: "com.apple.traditional-mac-plain-text")

    @Test(
        "a string is loaded as it was registered",
        arguments: [
            "", "text", "æøå 漢字 👩‍👩‍👧", "a\0b", "\u{FEFF}marked", "e\u{301}", String(repeating: "é", count: 100_000),
        ]
    )
    func strings(text: String) async throws {
        let provider = ItemProvider(object: text)
        #expect(provider.registeredTypeIdentifiers == ["public.utf8-plain-text"])
        #expect(provider.canLoad(String.self))
        let loaded = try await provider.load(String.self)
        #expect(Array(loaded.utf8) == Array(text.utf8))
        #expect(try await provider.loadData(for: .plainText) == Data(text.utf8))
    }

    @Test(
        "text is decoded by its type or by its byte order mark",
        arguments: [
            (UniformType.plainText, [0xC3, 0xA9], "é"), (.plainText, [0xEF, 0xBB, 0xBF, 0x61], "a"),
            (.plainText, [0xFE, 0xFF, 0x00, 0xE9], "é"), (.utf16PlainText, [0xFE, 0xFF, 0x00, 0xE9], "é"),
            (.utf16PlainText, [], ""), (macintosh, [0x8E, 0x61], "éa"),
        ] as [(UniformType, [UInt8], String)]
    )
    func decoding(type: UniformType, bytes: [UInt8], expected: String) async throws {
        let provider = provider(type, bytes)
        #expect(try await provider.load(String.self) == expected)
        #expect(try utf8Text(of: Data(bytes), type: type) == Data(expected.utf8))
    }

    @Test(
        "an unknown charset of a MIME type, and bytes that are not text of the charset, are errors",
        arguments: [("us-ascii", [0xE9]), ("x-no-such", [0x61])] as [(String, [UInt8])]
    )
    func charsets(charset: String, bytes: [UInt8]) async throws {
        let type = try #require(UniformType(mimeType: "text/plain;charset=\"\(charset)\""))
        let error = await #expect(throws: PasteboardError.self) { try await provider(type, bytes).load(String.self) }
        #expect(error?.itemProviderErrorCode == -1200)
    }

    @Test("another process gets text in another encoding as a string, and as UTF-8 if it requests that")
    func derived() async throws {
        try await TestBroker.with { broker in
            let publication = try await broker.pasteboard().write([provider(.utf16PlainText, [0xFF, 0xFE, 0xE9, 0])])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let listed = try await broker.pasteboard().contents().items[0].representations
            #expect(listed.map(\.isDerived) == [false, true] && listed.last?.type == .utf8PlainText)
            #expect(try await item.load(String.self) == "é")
            // In UTF-8 it is as long as in UTF-16 with a byte order mark, less two bytes.
            await expectError(.tooLarge) {
                try await item.loadData(for: .utf8PlainText, options: LoadOptions(maximumByteCount: 1))
            }
            #expect(try await item.loadData(for: .utf8PlainText) == Data("é".utf8))
            #expect(try await item.loadData(for: .plainText) == Data([0xFF, 0xFE, 0xE9, 0]))
            withExtendedLifetime(publication) {}
        }
    }

    @Test("of several encodings of a text the best one becomes a string, and between kinds the source's order counts")
    func encodings() async throws {
        let all: [(UniformType, [UInt8], String)] = [
            (try #require(UniformType(mimeType: "text/plain;charset=latin1")), [0x6C], "l"),
            (Self.macintosh, [0x6D], "m"),
            (.plainText, [0x70], "p"), (.utf16PlainText, [0x77, 0], "w"), (.utf8PlainText, [0x38], "8"),
        ]
        try await TestBroker.with { broker in
            // The best encoding is removed each time, and then the next one is chosen.
            for (count, expected) in [(5, "8"), (4, "w"), (3, "l"), (2, "l"), (1, "l")] {
                let source = ItemProvider()
                for (type, bytes, _) in all.prefix(count) {
                    source.registerDataRepresentation(for: type) { Data(bytes) }
                }
                let publication = try await broker.pasteboard().write([source])
                #expect(try await source.load(String.self) == expected)
                #expect(try await broker.pasteboard().string == expected)
                let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
                #expect(try await item.load(String.self) == expected)
                #expect(String(decoding: try await item.loadData(for: .utf8PlainText), as: UTF8.self) == expected)
                withExtendedLifetime(publication) {}
            }
        }
        let source = ItemProvider()
        for type in [UniformType.html, .swiftSource, Self.macintosh, .utf8PlainText] {
            source.registerDataRepresentation(for: type) { Data() }
        }
        #expect(source.bestType(of: [.html, .plainText]) == .html)
        #expect(source.bestType(of: [.plainText]) == .swiftSource)
        #expect(source.bestType(of: [.rtf, Self.macintosh]) == Self.macintosh)
    }

    @Test(
        "bytes that are not text of their type cause an error that names the type and the offset",
        arguments: [
            (UniformType.utf8PlainText, [0x61, 0xC3], 1), (.plainText, [0xEF, 0xBB, 0xBF, 0x61, 0xFF], 4),
            (.utf16PlainText, [0x61, 0x00, 0x00], 2), (.utf16PlainText, [0x61, 0x00, 0x00, 0xDC], 2),
            (.utf16ExternalPlainText, [0xFE, 0xFF, 0x00, 0x61, 0xD8, 0x3D], 4),
        ] as [(UniformType, [UInt8], Int)]
    )
    func invalid(type: UniformType, bytes: [UInt8], offset: Int) async throws {
        let provider = provider(type, bytes)
        let error = await #expect(throws: PasteboardError.self) { try await provider.load(String.self) }
        #expect(error?.message.contains(type.identifier) == true)
        #expect(error?.message.contains("byte \(offset)") == true, "\(error?.message ?? "")")
        #expect(error?.itemProviderErrorCode == ItemProvider.ErrorCode.unavailableCoercionError.rawValue)
        #expect(throws: PasteboardError.self) { try utf8Text(of: Data(bytes), type: type) }
    }

    @Test("a string can be loaded from any plain text, and from nothing else")
    func readable() {
        for type in [UniformType.utf8PlainText, .utf16PlainText, .plainText, Self.macintosh, .sourceCode] {
            #expect(provider(type, []).canLoad(String.self))
        }
        for type in [UniformType.data, .text, .html, .json, .url, .png] {
            #expect(!provider(type, []).canLoad(String.self))
        }
    }

    @Test("a URL is written in absolute form and read again, and the URL of a file also as a file URL")
    func urls() async throws {
        let base = try #require(URL(string: "https://example.org/a/"))
        let relative = try #require(URL(string: "b?c#d", relativeTo: base))
        let file = URL(filePath: "/tmp/a b/ø.txt")
        let cases = [
            (base, "https://example.org/a/", ["public.url"]),
            (relative, "https://example.org/a/b?c#d", ["public.url"]),
            (file, "file:///tmp/a%20b/%C3%B8.txt", ["public.file-url", "public.url"]),
        ]
        for (url, text, types) in cases {
            let provider = ItemProvider(object: url)
            #expect(provider.registeredTypeIdentifiers == types)
            #expect(try await provider.loadData(for: .url) == Data(text.utf8))
            #expect(try await provider.load(URL.self) == url.absoluteURL)
        }
        #expect(URL.writableTypeIdentifiersForItemProvider == ["public.url"])
    }

    @Test("white space around a URL is ignored, and text that is not a URL is an error")
    func readingURLs() async throws {
        #expect(
            try await provider(.url, Array(" https://example.org/x\r\n".utf8)).load(URL.self)
                .absoluteString
                == "https://example.org/x"
        )
        let wrong: [(UniformType, [UInt8])] = [
            (.url, []), (.url, [0x0A, 0x20]), (.url, [0xFF]), (.url, Array("https://[".utf8)),
            (.fileURL, Array("https://example.org/".utf8)), (.fileURL, Array("/etc/passwd".utf8)),
        ]
        for (type, bytes) in wrong {
            let error = await #expect(throws: PasteboardError.self) { try await provider(type, bytes).load(URL.self) }
            #expect(error?.itemProviderErrorCode == -1200)
        }
    }

    @Test("a pasteboard makes an object from the same type as its item, the first of the source; data has its own type")
    func firstOfSource() async throws {
        try await TestBroker.with { broker in
            let provider = provider(.png, [1])
            provider.registerDataRepresentation(for: .data) { Data([2]) }
            let source = broker.pasteboard()
            try await source.write([provider], keeps: .everything)
            let pasteboard = broker.pasteboard()
            let items = try await pasteboard.contents().items
            #expect(try await pasteboard.load(Data.self) == Data([1]))
            #expect(try await items.first?.itemProvider.load(Data.self) == Data([1]))
            #expect(try await pasteboard.loadData(for: .data) == Data([2]))
        }
    }
}
