import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// Files that appear complete or not at all.
@Suite(.pure)
struct PendingFileTests {
    private let directory: TemporaryDirectory
    private var path: SystemString { SystemString(directory.path) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func working(_ digit: Character) -> String {
        SafeFileName.workingPrefix + String(repeating: digit, count: 16)
    }

    /// All names except those of unfinished files.
    private var names: [String] {
        directory.names().filter { !SafeFileName.isWorkingName(SystemString($0)) }
    }

    @Test(
        "A file appears only when it is kept, complete, and numbered if its name is taken",
        arguments: [true, false]
    )
    func kept(mayBeUnnamed: Bool) throws {
        for (expected, mode) in [("a.txt", 0o640), ("a 2.txt", 0o400), ("a 3.txt", 0)] as [(String, UInt32)] {
            let before = names
            let file = try PendingFile(inDirectory: path, mode: mode, mayBeUnnamed: mayBeUnnamed)
            try file.write(Array("text".utf8).span, for: "a.txt")
            #expect(names == before)
            #expect((directory.names() == before) == mayBeUnnamed)
            #expect(
                try file.keep(as: SafeFileName(ofFile: "a.txt"), in: OutputDirectory(path))
                    == path.appending(SystemString(expected))
            )
            let status = try #require(try System.status(at: directory[expected]))
            #expect(status.mode == mode && status.size == 4)
        }
        #expect(directory.names() == ["a 2.txt", "a 3.txt", "a.txt"])
    }

    @Test("A file is replaced as a whole, with its mode, and nothing else is left", arguments: [true, false])
    func replaced(mayBeUnnamed: Bool) throws {
        try directory.write("old", to: "a")
        do {
            let file = try PendingFile(inDirectory: path, mayBeUnnamed: mayBeUnnamed)
            try file.write(Array("new".utf8).span, for: "a")
            #expect(try directory.contents(of: "a") == Array("old".utf8))
            try file.keep(as: "a", mode: 0o604)
        }
        #expect(try directory.contents(of: "a") == Array("new".utf8))
        #expect(try System.status(at: directory["a"])?.mode == 0o604)
        #expect(directory.names() == ["a"])
    }

    @Test("A file gets its name in the directory of its start, wherever the path leads then", arguments: [true, false])
    func movedDirectory(mayBeUnnamed: Bool) throws {
        _ = try directory.makeDirectory("first")
        _ = try directory.makeDirectory("second")
        try #require(symlink("first", directory["link"]) == 0)
        do {
            let path = SystemString(directory["link"])
            let file = try PendingFile(inDirectory: path, mayBeUnnamed: mayBeUnnamed)
            let other = try PendingFile(inDirectory: path, mayBeUnnamed: mayBeUnnamed)
            let discarded = try PendingFile(inDirectory: path, mayBeUnnamed: mayBeUnnamed)
            try directory.write("", to: "first/b")
            try System.unlink(directory["link"])
            try #require(symlink("second", directory["link"]) == 0)
            _ = try file.keep(as: SafeFileName(ofFile: "a"), in: OutputDirectory(path))
            try other.keep(as: "b")
            withExtendedLifetime(discarded) {}
        }
        #expect(directory.names(in: "first") == ["a", "b"])
        #expect(directory.names(in: "second").isEmpty)
    }

    @Test("A discarded file leaves nothing", arguments: [true, false])
    func givenUp(mayBeUnnamed: Bool) throws {
        _ = try PendingFile(inDirectory: path, mayBeUnnamed: mayBeUnnamed)
        #expect(directory.names().isEmpty)
    }

    @Test("Leftovers of killed writers are removed; files in use, and files of other names, stay")
    func leftovers() throws {
        let kept = [".pasteboard-1", SafeFileName.workingPrefix + "1", SafeFileName.workingPrefix + "0123456789abcdeF"]
        for name in kept + [Self.working("a"), Self.working("b")] { try directory.write("left", to: name) }
        _ = try directory.makeDirectory(Self.working("c"))
        try directory.write("left", to: Self.working("c") + "/file")
        let used = try System.open(directory[Self.working("b")])
        #expect(try System.lock(used.raw))
        WorkingName.removeLeftovers(in: path)
        #expect(directory.names() == (kept + [Self.working("b")]).sorted())
        withExtendedLifetime(used) {}
    }

    @Test("A copy of a leftover has another name, so it does not count as one")
    func copiedLeftover() {
        let name = SafeFileName(ofFile: SystemString(Self.working("a"))).candidate(1)
        #expect(name == SystemString("_" + Self.working("a").dropFirst()))
    }

    @Test("A name that is not UTF-8, and the time of a file, are preserved")
    func bytesAndTime() throws {
        let name = SystemString([0x6E, 0xFF])
        let file = try PendingFile(inDirectory: self.path)
        var attributes = FileAttributes()
        attributes.modifiedSeconds = -2
        attributes.modifiedNanoseconds = 500_000_000
        try file.setModificationTime(of: attributes, for: name)
        let path = try file.keep(as: SafeFileName(ofFile: name), in: OutputDirectory(self.path))
        #expect(path == self.path.appending(name))
        let status = try #require(try System.status(at: path))
        #expect(status.modifiedAt == -1_500_000_000)
        #expect(FileAttributes(of: status).modifiedSeconds == attributes.modifiedSeconds)
        #expect(FileAttributes(of: status).modifiedNanoseconds == attributes.modifiedNanoseconds)
    }
}
