import Foundation
import Glibc
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// The message of a source's error reaches the destination. Only the program's own words may name a directory.
@Suite(.inProcess)
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

    private static func error(_ domain: String, _ code: Int, _ userInfo: [String: Any] = [:]) -> any Error {
        NSError(domain: domain, code: code, userInfo: userInfo)
    }

    /// The message of the source's error, as another process gets it and as the source's own process gets it.
    private func words(
        of register: @Sendable (ItemProvider) -> Void
    ) async throws -> (elsewhere: String, here: String, whole: String) {
        let provider = ItemProvider()
        register(provider)
        return try await LoadPlace.there.with(provider) { item in
            let elsewhere = await expectError(.sourceFailed) { try await item.loadData(for: .data) }
            let here = await expectError(.sourceFailed) { try await provider.loadData(for: .data) }
            return (
                try #require(elsewhere?.sourceError).message, try #require(here?.sourceError).message,
                try #require(elsewhere).message
            )
        }
    }

    @Test("the description of an error does not change a terminal")
    func printableDescription() {
        let error = PasteboardError(.refused, message: "no \u{1B}]0;x\u{7}entry\u{9B}2J\u{202E}")
        #expect("\(error)" == "no ]0;xentry2J")
        #expect(error.localizedDescription == "no ]0;xentry2J")
    }

    @Test("an error's message is its localized description, else its description, else its value")
    func order() async throws {
        let cases: [(any Error, String)] = [
            (Localized(errorDescription: "the printer is on fire", failureReason: "heat"), "the printer is on fire"),
            (Localized(errorDescription: nil, failureReason: "heat"), "heat"),
            (Localized(errorDescription: "", failureReason: nil), "a description"),
            (Described(description: "out of paper"), "out of paper"),
            (Plain(), "Plain(page: 3)"),
            (PasteboardError(.noSpace, message: "full"), "full"),
            (POSIXError(.ENOENT), "No such file or directory"),
            (Self.error("com.acme", 42, [NSLocalizedDescriptionKey: "the tray is empty"]), "the tray is empty"),
            (Self.error("com.acme", 42, [NSLocalizedFailureReasonErrorKey: "heat"]), "heat"),
            (Self.error(NSPOSIXErrorDomain, 2), "No such file or directory"),
            (Self.error(NSPOSIXErrorDomain, 2, [NSLocalizedDescriptionKey: "no tray"]), "no tray"),
            (Self.error(NSCocoaErrorDomain, 4, [NSFilePathErrorKey: "/a/b c"]), "there is no such file: b c"),
            (Self.error(NSCocoaErrorDomain, 4, [NSLocalizedDescriptionKey: "no tray"]), "no tray"),
            (CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "no tray"]), "no tray"),
            (Self.error(NSCocoaErrorDomain, 4, [NSLocalizedDescriptionKey: "no /a/b c here"]), "no /a/b c here"),
            (Described(description: "no /home/x/y, alas"), "no /home/x/y, alas"),
            (URLError(.badURL, userInfo: [NSLocalizedDescriptionKey: "no such host"]), "no such host"),
            (URLError(.timedOut), "the request timed out"),
            (URLError(.badServerResponse), "error -1011 of NSURLErrorDomain"),
            (Self.error("com.acme", 42), "error 42 of com.acme"),
            (CocoaError(.userCancelled), "the user cancelled"),
            (CocoaError(.init(rawValue: 1)), "an operation failed"),
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

    @Test("an error of Foundation or of the program arrives with its domain and code, and without memory addresses")
    func domains() async throws {
        let cases: [(any Error, String, Int)] = [
            (Self.error("com.acme", 42, [NSLocalizedDescriptionKey: "the tray is empty"]), "com.acme", 42),
            (Self.error("com.acme", 42), "com.acme", 42),
            (Self.error(NSPOSIXErrorDomain, 2), NSPOSIXErrorDomain, 2),
            (POSIXError(.ENOENT), NSPOSIXErrorDomain, 2),
            (Self.error(NSCocoaErrorDomain, 4), NSCocoaErrorDomain, 4),
            (CocoaError(.fileNoSuchFile), NSCocoaErrorDomain, 4),
            (URLError(.badURL), NSURLErrorDomain, -1000),
            (
                PasteboardError(.noSpace, message: "full"), "PasteboardKit.PasteboardError",
                Int(PasteboardError.Code.noSpace.rawValue)
            ),
        ]
        for (thrown, domain, code) in cases {
            let provider = ItemProvider()
            provider.registerDataRepresentation(for: .data) { throw thrown }
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
            #expect(error?.sourceError?.domain == domain)
            #expect(error?.sourceError?.code == code)
        }
        let provider = ItemProvider()
        provider.registerDataRepresentation(for: .data) { throw Plain() }
        let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .data) }
        let domain = try #require(error?.sourceError).domain
        #expect(domain.hasSuffix(".Plain"))
        #expect(!domain.contains("$"))
    }

    @Test("an error of the library, of Foundation or of the system names a file without its directory")
    func paths() async throws {
        let directory = try TemporaryDirectory()
        let missing = directory["my docs"] + "/report.pdf"
        let pipe = directory["a pipe"]
        try #require(mkfifo(pipe, 0o600) == 0)
        let registrations: [@Sendable (ItemProvider) -> Void] = [
            { $0.registerFileRepresentation(for: .pdf) { URL(filePath: missing) } },
            { $0.registerFileRepresentation(for: .pdf) { URL(filePath: pipe) } },
            { $0.registerDataRepresentation(for: .pdf) { try Data(contentsOf: URL(filePath: missing)) } },
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
