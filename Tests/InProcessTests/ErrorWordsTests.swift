import FoundationEssentials
import Glibc
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// What a source fails with arrives in its words, and without its directories.
@Suite(.fewAtATime, .timeLimit(.minutes(5)))
struct ErrorWordsTests {
    private struct Localized: LocalizedError, CustomStringConvertible {
        var errorDescription: String?
        var failureReason: String?
        var description: String { "a description" }
    }

    private struct Described: Error, CustomStringConvertible {
        let description: String
    }

    private struct Plain: Error {
        let page = 3
    }

    /// The message of the source's error, as another process and as its own get it.
    private func words(
        of register: @Sendable (ItemProvider) -> Void
    ) async throws -> (elsewhere: String, here: String, whole: String) {
        try await TestBroker.with { broker in
            let provider = ItemProvider()
            register(provider)
            let publication = try await broker.pasteboard().write([provider])
            let item = try #require(try await broker.pasteboard().contents().items.first).itemProvider
            let elsewhere = await #expect(throws: PasteboardError.self) { try await item.loadData(for: .data) }
            let here = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
            withExtendedLifetime(publication) {}
            #expect(elsewhere?.code == .sourceFailed)
            #expect(here?.code == .sourceFailed)
            return (
                try #require(elsewhere?.sourceError).message, try #require(here?.sourceError).message,
                try #require(elsewhere).message
            )
        }
    }

    @Test("a thrown error says what it says to users, else what it says, else what it is")
    func order() async throws {
        let cases: [(any Error, String)] = [
            (Localized(errorDescription: "the printer is on fire", failureReason: "heat"), "the printer is on fire"),
            (Localized(errorDescription: nil, failureReason: "heat"), "heat"),
            (Localized(errorDescription: "", failureReason: nil), "a description"),
            (Described(description: "out of paper"), "out of paper"),
            (Plain(), "Plain(page: 3)"),
            (PasteboardError(.noSpace, message: "full"), "full"),
            (POSIXError(.ENOENT), "No such file or directory"),
        ]
        for (error, expected) in cases {
            let words = try await words { provider in
                provider.registerDataRepresentation(for: .data) { throw error }
            }
            #expect(words.elsewhere == expected)
            #expect(words.here == expected)
            #expect(words.whole.hasSuffix("failed: \(expected)"))
        }
    }

    @Test("an error names a file of its source, and no directory")
    func paths() async throws {
        let directory = try TemporaryDirectory()
        let missing = directory["my docs"] + "/report.pdf"
        let pipe = directory["a pipe"]
        try #require(mkfifo(pipe, 0o600) == 0)
        let registrations: [@Sendable (ItemProvider) -> Void] = [
            { $0.registerFileRepresentation(for: .pdf) { URL(filePath: missing) } },
            { $0.registerFileRepresentation(for: .pdf) { URL(filePath: pipe) } },
            { $0.registerDataRepresentation(for: .pdf) { try Data(contentsOf: URL(filePath: missing)) } },
            { $0.registerDataRepresentation(for: .pdf) { throw Described(description: "no \(pipe), alas") } },
        ]
        for registration in registrations {
            let words = try await words(of: registration)
            for text in [words.elsewhere, words.whole] {
                #expect(!text.contains("/"))
                #expect(!text.contains("my docs"))
                #expect(text.contains("report.pdf") || text.contains("pipe"))
            }
        }
    }
}
