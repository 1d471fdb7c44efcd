import FoundationEssentials
import PasteboardClient
import PasteboardKit
import PasteboardTransport
import TestSupport
import Testing

/// Files and folders that are loaded into their final directory and moved to their final names.
@Suite(.inProcess)
struct LoadedFileMoveTests {
    enum Form: CaseIterable {
        case file
        case folder
    }

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        _ = try directory.makeDirectory("source")
        _ = try directory.makeDirectory("desk")
    }

    private func url(_ name: String) -> URL { URL(filePath: directory[name]) }

    /// A provider of a file with a mode and a modification time, or of a read-only folder with such a file.
    private func provider(_ form: Form) throws -> ItemProvider {
        if form == .folder { _ = try directory.makeDirectory("source/tree") }
        let path = form == .file ? "source/run" : "source/tree/run"
        let file = try System.open(try directory.write("#!/bin/sh\n", to: path))
        try System.setMode(0o750, of: file.raw)
        try System.setModificationTime(seconds: 1_000_000_000, nanoseconds: 7, of: file.raw)
        guard form == .folder else { return try #require(ItemProvider(contentsOf: url(path))) }
        try FileManager.default.createSymbolicLink(
            atPath: directory["source/tree/link"],
            withDestinationPath: "run"
        )
        let folder = try System.open(directory["source/tree"])
        try System.setMode(0o550, of: folder.raw)
        return try #require(ItemProvider(contentsOf: url("source/tree")))
    }

    private func check(_ form: Form, at url: URL) throws {
        let file = form == .file ? url : url.appending(path: "run")
        let status = try #require(try System.status(at: file.path))
        #expect(status.mode == 0o750 && status.modifiedAt == 1_000_000_000_000_000_007)
        #expect(try System.contents(of: file.path) == Array("#!/bin/sh\n".utf8))
        guard form == .folder else { return }
        #expect(try System.status(at: url.path)?.mode == 0o550)
        #expect(try System.linkTarget(url.appending(path: "link").path) == "run")
    }

    @Test("A copy is made in the given directory, and moving it only renames it", arguments: Form.allCases)
    func sameDisk(form: Form) async throws {
        let (desk, kept) = (url("desk"), url("desk/kept"))
        let inode = try await provider(form).withLoadedFile(for: .item, in: desk) { loaded in
            let room = try #require(directory.names(in: "desk").first)
            #expect(SafeFileName.isWorkingName(SystemString(room)))
            #expect(loaded.value.path.hasPrefix("\(desk.path)/\(room)/"))
            let inode = try System.status(at: loaded.value.path)?.inode
            try await loaded.move(to: kept)
            #expect(try System.status(at: loaded.value.path) == nil)
            return inode
        }
        #expect(directory.names(in: "desk") == ["kept"])
        #expect(try System.status(at: kept.path)?.inode == inode)
        try check(form, at: kept)
    }

    private static let otherDisk = "/dev/shm"

    private static var hasOtherDisk: Bool {
        let temporary = System.environment("TMPDIR") ?? "/tmp"
        let devices = [temporary, otherDisk].map { (try? System.status(at: $0))??.device }
        return devices[0] != devices[1] && devices[1] != nil
    }

    @Test(
        "On another disk, a move copies the file, which gets its name when the copy is complete",
        .enabled(if: hasOtherDisk),
        arguments: Form.allCases
    )
    func acrossDisks(form: Form) async throws {
        let other = URL(filePath: "\(Self.otherDisk)/pb-move-\(form)-\(System.processID)")
        try System.makeDirectory(other.path)
        defer { try? WorkingName.removeFolder(SystemString(other.path)) }
        let kept = other.appending(path: "kept")
        // The leftover of a process that was killed while it copied.
        let leftover = "\(other.path)/\(SafeFileName.workingPrefix)0123456789abcdef"
        try System.makeDirectory(leftover)
        try System.makeDirectory("\(leftover)/copy")
        try await provider(form).withLoadedFile(for: .item) { loaded in
            try await loaded.move(to: kept)
            let original = try System.status(at: loaded.value.path)
            #expect(original == nil)
        }
        try check(form, at: kept)
        let names = try FileManager.default.contentsOfDirectory(atPath: other.path)
        #expect(names == ["kept"])

        // The second move fails because the name is taken.
        try await provider(.file, again: form).withLoadedFile(for: .item) { loaded in
            await expectError(.refused) { try await loaded.move(to: kept) }
            let status = try System.status(at: loaded.value.path)
            #expect(status != nil)
        }
        try check(form, at: kept)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["kept"])
    }

    private func provider(_: Form, again form: Form) throws -> ItemProvider {
        try #require(ItemProvider(contentsOf: url(form == .file ? "source/run" : "source/tree")))
    }

    @Test("A move never replaces a file, and its error names the obstacle")
    func taken() async throws {
        _ = try directory.makeDirectory("desk/folder")
        try directory.write("mine", to: "desk/file")
        try FileManager.default.createSymbolicLink(
            atPath: directory["desk/link"],
            withDestinationPath: "nowhere"
        )
        try await provider(.file).withLoadedFile(for: .item, in: url("desk")) { loaded in
            for (name, reason) in [
                ("folder", "that path is a directory; name the file in it: \(directory["desk/folder/run"])"),
                ("file", "that name is already taken; choose another"),
                ("link", "that name is already taken; choose another"),
                ("missing/file", "No such file or directory"),
            ] {
                let error = await #expect(throws: PasteboardError.self) {
                    try await loaded.move(to: url("desk/\(name)"))
                }
                #expect(error?.code == .refused && error?.message.hasSuffix(reason) == true, "\(error?.message ?? "")")
                #expect(error?.message.contains("to \(directory["desk/\(name)"]): ") == true)
            }
            await expectError(.invalidArgument) {
                try await loaded.move(to: try #require(URL(string: "https://example.org/file")))
            }
            // The failed attempts have not moved the file.
            try await loaded.move(to: url("desk/free"))
            let again = await #expect(throws: PasteboardError.self) { try await loaded.move(to: url("desk/twice")) }
            #expect(again?.message.contains("the file no longer exists") == true, "\(again?.message ?? "")")
        }
        #expect(directory.names(in: "desk") == ["file", "folder", "free", "link"])
        #expect(try directory.contents(of: "desk/file") == Array("mine".utf8))
        #expect(directory.names(in: "desk/folder").isEmpty)
    }

    @Test("The source's own file cannot be moved")
    func inPlace() async throws {
        try directory.write("own", to: "source/own")
        let url = self.url("source/own")
        let provider = try #require(ItemProvider(contentsOf: url, openInPlace: true))
        try await provider.withLoadedFile(for: .item, openInPlace: true) { loaded in
            #expect(loaded.isInPlace)
            let error = await #expect(throws: PasteboardError.self) { try await loaded.move(to: self.url("desk/kept")) }
            #expect(error?.code == .refused && error?.message.contains("the source's own file") == true)
        }
        #expect(directory.names(in: "source") == ["own"] && directory.names(in: "desk").isEmpty)
    }

    @Test("A file that is not moved is removed at the end of the body, and errors name the directory")
    func directories() async throws {
        let provider = try provider(.file)
        // The leftover of a process that was killed.
        let leftover = SafeFileName.workingPrefix + "0123456789abcdef"
        try directory.write("half", to: "desk/\(leftover)")
        try await provider.withLoadedFile(for: .item, in: url("desk")) { _ in
            #expect(!directory.names(in: "desk").contains(leftover))
        }
        #expect(directory.names(in: "desk").isEmpty)

        let missing = url("missing")
        var error = await #expect(throws: PasteboardError.self) {
            try await provider.withLoadedFile(for: .item, in: missing) { _ in }
        }
        #expect(error?.code == .refused && error?.message.contains(missing.path) == true)
        let remote = try #require(URL(string: "https://example.org/"))
        error = await #expect(throws: PasteboardError.self) {
            try await provider.withLoadedFile(for: .item, in: remote) { _ in }
        }
        #expect(error?.code == .invalidArgument && error?.message.contains("https://example.org/") == true)
    }

    @Test(
        "A URL that does not name a file of this system is refused",
        arguments: ["file:///tmp/d%FF", "file://", "file:///tmp/a%00b", "file:///tmp/a%2Fb", "file:relative"]
    )
    func oddURLs(text: String) async throws {
        let (url, provider) = (try #require(URL(string: text)), try provider(.file))
        let error = await #expect(throws: PasteboardError.self) {
            try await provider.withLoadedFile(for: .item, in: url) { _ in }
        }
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("cannot load into \(text): ") == true)
        try await provider.withLoadedFile(for: .item, in: self.url("desk")) { loaded in
            let error = await #expect(throws: PasteboardError.self) { try await loaded.move(to: url) }
            #expect(error?.code == .invalidArgument && error?.message.contains(" to \(text): ") == true)
            try await loaded.move(to: self.url("desk/a%00b"))
        }
        #expect(directory.names(in: "desk") == ["a%00b"])
    }

    @MainActor
    private final class Window {
        var titles: [String] = []
    }

    @Test("The body of a load may use the state of its caller's actor, and return a value that is not Sendable")
    @MainActor
    func isolation() async throws {
        final class Preview {
            var name = ""
        }
        let (window, preview) = (Window(), Preview())
        let shown = try await provider(.file).withLoadedFile(for: .item) { loaded in
            MainActor.assertIsolated()
            window.titles.append(loaded.value.lastPathComponent)
            preview.name = loaded.value.lastPathComponent
            return preview
        }
        #expect(window.titles == ["run"] && shown === preview && shown.name == "run")
    }
}
