import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// In-place loads return the source's own file instead of a copy, if the source declares it, the load asks for it, and
/// the descriptor can be passed.
@Suite(.inProcess)
struct InPlaceTests {
    private let directory: TemporaryDirectory
    private let file: URL

    init() throws {
        directory = try TemporaryDirectory()
        file = URL(filePath: "\(directory.path)/original.txt")
        try Data("original".utf8).write(to: file)
    }

    private func provider(_ options: ItemProviderFileOptions, _ url: URL? = nil) -> ItemProvider {
        let (provider, url) = (ItemProvider(), url ?? file)
        provider.registerFileRepresentation(forTypeIdentifier: "public.plain-text", fileOptions: options) {
            completion in
            completion(url, false, nil)
            return nil
        }
        return provider
    }

    private func path(_ provider: ItemProvider, openInPlace: Bool = true) async throws -> (String, Bool) {
        try await provider.withLoadedFile(for: .text, openInPlace: openInPlace) { loaded in
            let contents = try Data(contentsOf: loaded.value)
            #expect(contents == Data("original".utf8))
            return (loaded.value.path, loaded.isInPlace)
        }
    }

    @Test("In place through a symbolic link, a load returns the link's target", arguments: [LoadPlace.here, .there])
    func links(place: LoadPlace) async throws {
        let link = URL(filePath: "\(directory.path)/link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        try await place.with(provider(.openInPlace, link)) { provider in
            let loaded = try await path(provider)
            #expect(loaded == (file.path, true))
        }
    }

    @Test(
        "If it is not declared, not requested or not passed, a load returns a copy, which is removed",
        arguments: LoadPlace.allCases
    )
    func copies(place: LoadPlace) async throws {
        for (options, asks) in [([], true), (.openInPlace, false)] as [(ItemProviderFileOptions, Bool)] {
            try await place.with(provider(options)) { provider in
                let (path, isInPlace) = try await path(provider, openInPlace: asks)
                #expect(!isInPlace && path != file.path)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
        guard place == .inline else { return }
        try await place.with(provider(.openInPlace)) { provider in
            let (path, isInPlace) = try await path(provider)
            #expect(!isInPlace && path != file.path)
        }
    }

    @Test("A file that was removed after it was opened is copied", .tags(.f59), arguments: [LoadPlace.here, .there])
    func removed(place: LoadPlace) async throws {
        let opened = try System.open(file.path)
        try FileManager.default.removeItem(at: file)
        let url = URL(filePath: "/proc/self/fd/\(opened.raw)")
        try await place.with(provider(.openInPlace, url)) { provider in
            let (path, isInPlace) = try await path(provider)
            #expect(!isInPlace && path != file.path)
        }
        withExtendedLifetime(opened) {}
    }

    @Test("The callback forms report whether the file is in place", arguments: [LoadPlace.here, .there])
    func callbacks(place: LoadPlace) async throws {
        try await place.with(provider(.openInPlace)) { provider in
            let seen = Lock<[Bool]>([])
            for form in 0..<3 {
                let done = Gate()
                let handler: @Sendable (URL?, Bool, (any Error)?) -> Void = { url, isInPlace, error in
                    #expect(url != nil && error == nil)
                    seen.withLock { $0.append(isInPlace) }
                    done.open()
                }
                switch form {
                case 0:
                    provider.loadInPlaceFileRepresentation(
                        forTypeIdentifier: "public.text",
                        completionHandler: handler
                    )
                case 1: provider.loadFileRepresentation(for: .text, openInPlace: true, completionHandler: handler)
                default: provider.loadFileRepresentation(for: .text, completionHandler: handler)
                }
                await done.wait()
            }
            #expect(seen.withLock { $0 } == [true, true, false])
        }
    }
}
