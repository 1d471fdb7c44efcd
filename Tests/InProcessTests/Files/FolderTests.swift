import FoundationEssentials
import PasteboardCompatibility
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Folders are loaded as a tree of files, or as an archive if they are loaded as data.
@Suite(.inProcess, .enabled(if: System.isExecutable("/usr/bin/tar"), "needs tar"))
struct FolderTests {
    private let directory: TemporaryDirectory
    private let folder: URL

    private static let awkward = ["-rf", "a b", "ä\nb", "*", "--help", ".hidden", "sub/deeper/x"]

    init() throws {
        directory = try TemporaryDirectory()
        folder = URL(filePath: "\(directory.path)/--weird folder")
        for name in Self.awkward {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(name.utf8).write(to: file)
        }
    }

    private func check(_ tree: URL) throws {
        for name in Self.awkward {
            let contents = try Data(contentsOf: tree.appending(path: name))
            #expect(contents == Data(name.utf8), "\(name)")
        }
    }

    private var provider: ItemProvider {
        let provider = ItemProvider()
        let folder = folder
        provider.registerFileRepresentation(for: .folder) { folder }
        return provider
    }

    @Test(
        "A folder that cannot be read completely fails the load, and the error says why",
        arguments: LoadPlace.allCases
    )
    func missing(place: LoadPlace) async throws {
        let provider = ItemProvider()
        let folder = URL(filePath: "\(directory.path)/none")
        provider.registerFileRepresentation(for: .folder) { folder }
        try await place.with(provider) { provider in
            let error = await #expect(throws: PasteboardError.self) { try await provider.loadData(for: .folder) }
            #expect(error?.code == .sourceFailed && error?.message.contains("No such file") == true)
        }
    }

    @Test("A file name in a folder may contain a backslash", arguments: [LoadPlace.here, .there])
    func backslash(place: LoadPlace) async throws {
        let odd = URL(filePath: "\(directory.path)/a\\101")
        try FileManager.default.moveItem(at: folder, to: odd)
        let provider = ItemProvider()
        provider.registerFileRepresentation(for: .folder) { odd }
        try await place.with(provider) { provider in
            try await provider.withLoadedFile(for: .folder) { try check($0.value) }
        }
    }

    @Test("A loaded tree contains no pipes, and links are unchanged", arguments: [LoadPlace.here, .there])
    func specials(place: LoadPlace) async throws {
        let (pipe, link) = (folder.appending(path: "pipe").path, folder.appending(path: "link"))
        let made = try ProcessRunner("/usr/bin/mkfifo", [pipe], environment: [:]).finish()
        try #require(made.exitCode == 0)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/etc")
        try await place.with(provider) { provider in
            try await provider.withLoadedFile(for: .folder) { tree in
                try check(tree.value)
                let pipe = try System.status(at: tree.value.appending(path: "pipe").path)
                let link = try System.status(at: tree.value.appending(path: "link").path)
                #expect(pipe == nil && link?.kind == .symbolicLink)
            }
        }
        #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    }

    @Test(
        "A loaded tree is removed even if its owner may not write to its folders",
        arguments: [LoadPlace.here, .there]
    )
    func readOnly(place: LoadPlace) async throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o555],
            ofItemAtPath: folder.appending(path: "sub/deeper").path
        )
        try await place.with(provider) { provider in
            let path = try await provider.withLoadedFile(for: .folder) { $0.value.deletingLastPathComponent().path }
            let status = try System.status(at: path)
            #expect(status == nil)
        }
    }

    @Test("files and folders passed to init(contentsOf:) are named and typed by their file names")
    func contentsOf() async throws {
        let provider = try #require(ItemProvider(contentsOf: folder))
        #expect(provider.registeredContentTypes == [.folder] && provider.suggestedName == "--weird folder")
        let text = URL(filePath: "\(directory.path)/note.txt")
        try Data("note".utf8).write(to: text)
        let note = try #require(ItemProvider(contentsOf: text, openInPlace: true))
        #expect(note.registeredContentTypes == [.plainText] && note.suggestedName == "note.txt")
        #expect(note.registeredContentTypesForOpenInPlace == [.plainText])
        let loaded = try await note.loadData(for: .text)
        #expect(loaded == Data("note".utf8))
        for (name, contents, type) in [
            ("cat.toy", "let", UniformType.plainText), ("picture", "\u{89}PNG\r\n\u{1A}\n", .png),
            ("empty", "", .utf8PlainText),
            ("main.ts", "let", .sourceCode),
        ] {
            let file = URL(filePath: "\(directory.path)/\(name)")
            try Data(contents.unicodeScalars.map { UInt8($0.value) }).write(to: file)
            let provider = try #require(ItemProvider(contentsOf: file))
            #expect(provider.registeredContentTypes.first?.conforms(to: type) == true, "\(name)")
        }
        #expect(ItemProvider(contentsOf: URL(filePath: "\(directory.path)/none")) == nil)
        #expect(ItemProvider(contentsOf: URL(filePath: "/dev/null")) == nil)
        let typed = try #require(ItemProvider(contentsOf: text, contentType: .json, visibility: .ownProcess))
        #expect(typed.registeredTypeIdentifiers == ["public.json"])
    }
}
