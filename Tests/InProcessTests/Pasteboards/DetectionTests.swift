import PasteboardCompatibility
import PasteboardKit
import TestSupport
import Testing
import TypeIdentifiers

/// Patterns in the text of a pasteboard.
@Suite(.inProcess)
struct DetectionTests {
    private typealias Pattern = UIPasteboard.DetectionPattern

    private static let all = Set(UIPasteboard.DetectionPattern.allCases)

    private static let texts: [(String, Set<UIPasteboard.DetectionPattern>)] = [
        ("", []),
        ("42", [.number]),
        (" -1,234.5e3\n", [.number]),
        ("e5", [.probableWebSearch]),
        ("https://example.com/a?b=c", [.probableWebURL, .link]),
        ("http://localhost:8080", [.probableWebURL, .link]),
        ("www.example.org", [.probableWebURL]),
        ("swift.org/install", [.probableWebURL]),
        ("ftp://example.com/file", [.link]),
        ("mountains of Norway", [.probableWebSearch]),
        ("two\nlines", []),
        ("ada@example.com", [.emailAddress]),
        ("write to ada@example.com or call +44 20 7946 0958", [.emailAddress, .phoneNumber, .probableWebSearch]),
        ("(555) 123-4567", [.phoneNumber]),
        ("2026-11-23", []),
        ("192.168.0.1", []),
        ("192.168.0.1/24 or 10.0.0.255", [.probableWebSearch]),
        ("+33.1.23.45.67.89", [.phoneNumber]),
        ("mailto:a@b.c", [.link]),
        ("mailto:ada@example.com", [.link, .emailAddress]),
        ("see https://a.example/b, or http://c.example.", [.link, .probableWebSearch]),
    ]

    @Test("Each pattern is found in the texts that fit it, and in no others", arguments: texts)
    func patterns(text: String, expected: Set<UIPasteboard.DetectionPattern>) async throws {
        try await TestBroker.with { broker in
            try await UIPasteboard(broker.pasteboard()).setItems([["public.utf8-plain-text": text]])
            #expect(try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: Self.all) == expected)
            let one = try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: [.link])
            #expect(one == expected.intersection([.link]))
        }
    }

    @Test("The values of several items have their places in the texts")
    func values() async throws {
        try await TestBroker.with { broker in
            let text = "see https://a.example/ü, or http://c.example."
            try await UIPasteboard(broker.pasteboard()).setItems([
                ["public.utf8-plain-text": text], ["public.png": Data([1])],
                ["public.url": URL(string: "https://d.example")!],
            ])
            let values = try await UIPasteboard(broker.pasteboard()).detectedValues(for: [.link])
            #expect(values.map(\.text) == ["https://a.example/ü", "http://c.example", "https://d.example"])
            #expect(values.map(\.item) == [0, 0, 2])
            for value in values.prefix(2) {
                let bytes = Array(text.utf8)[value.utf8Range]
                #expect(String(decoding: bytes, as: UTF8.self) == value.text)
            }
        }
    }

    @Test("A promise is not examined")
    func promises() async throws {
        try await TestBroker.with { broker in
            let calls = Counter()
            let provider = ItemProvider.making(.utf8PlainText) {
                calls.increment()
                return Data("42".utf8)
            }
            let publication = try await broker.pasteboard().write([provider])
            #expect(try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: [.number]).isEmpty)
            #expect(calls.value == 0)
            withExtendedLifetime(publication) {}
        }
    }

    @Test("Contents with a limited number of loads are not examined, and keep their loads")
    func limited() async throws {
        try await TestBroker.with { broker in
            try await broker.pasteboard().write("42", options: .init(maximumLoads: 1))
            let pasteboard = broker.pasteboard()
            #expect(try await UIPasteboard(pasteboard).detectedPatterns(for: [.number]).isEmpty)
            #expect(try await pasteboard.contents().terms.loadsLeft == 1)
            #expect(try await pasteboard.string == "42")
        }
    }

    @Test("A text that makes expressions slow, one that is too long, and one that is no text end the search")
    func hostileTexts() async throws {
        try await TestBroker.with { broker in
            for unit in ["a", "1 ", "a.", "a@", "http://", "1-", "www."] {
                let text = String(repeating: unit, count: (64 << 10) / unit.utf8.count)
                try await UIPasteboard(broker.pasteboard()).setItems([["public.utf8-plain-text": text]])
                #expect(
                    try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: [.number, .probableWebURL])
                        .isEmpty
                )
                _ = try await UIPasteboard(broker.pasteboard()).detectedValues(for: Self.all)
            }
            try await UIPasteboard(broker.pasteboard()).setItems([
                ["public.utf8-plain-text": Data(repeating: 49, count: 2 << 20)]
            ])
            #expect(try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: Self.all).isEmpty)
            try await UIPasteboard(broker.pasteboard()).setItems([["public.utf8-plain-text": Data([0xFF, 0xFE, 49])]])
            #expect(try await UIPasteboard(broker.pasteboard()).detectedPatterns(for: Self.all).isEmpty)
        }
    }
}
