import Glibc
import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import pasteboard

/// Files that appear whole or not at all.
struct PendingFileTests {
    private let directory: TemporaryDirectory
    private var path: SystemString { SystemString(self.directory.path) }

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    @Test("Until it is kept there is nothing, then there is the whole file, numbered where the name is taken")
    func kept() throws {
        for expected in ["a.txt", "a 2.txt"] {
            let before = self.directory.names()
            let file = try PendingFile(inDirectory: self.path, mode: 0o640)
            try file.write(Array("text".utf8).span, for: "a.txt")
            #expect(self.directory.names() == before)
            #expect(try file.keep(as: SafeFileName(ofFile: "a.txt")) == self.path.appending(SystemString(expected)))
            #expect(try self.directory.contents(of: expected) == Array("text".utf8))
            #expect(try System.status(at: self.directory[expected])?.mode == 0o640)
        }
        #expect(self.directory.names() == ["a 2.txt", "a.txt"])
    }

    @Test("A file is replaced as a whole, with its mode, and nothing else is left")
    func replaced() throws {
        try self.directory.write("old", to: "a")
        do {
            let file = try PendingFile(inDirectory: self.path)
            try file.write(Array("new".utf8).span, for: "a")
            #expect(try self.directory.contents(of: "a") == Array("old".utf8))
            try file.keep(as: self.path.appending("a"), mode: 0o604)
        }
        #expect(try self.directory.contents(of: "a") == Array("new".utf8))
        #expect(try System.status(at: self.directory["a"])?.mode == 0o604)
        #expect(self.directory.names() == ["a"])
    }

    @Test("The next file in a directory removes what killed writers have left, and leaves what is in use")
    func leftovers() throws {
        try self.directory.write("left", to: ".pasteboard-unfinished-1")
        try self.directory.write("used", to: ".pasteboard-unfinished-2")
        try self.directory.write("left", to: ".pasteboard-unfinished-3")
        let used = try System.open(self.directory[".pasteboard-unfinished-2"])
        #expect(try System.lock(used.raw))
        _ = try PendingFile(inDirectory: self.path)
        #expect(self.directory.names() == [".pasteboard-unfinished-2"])
        withExtendedLifetime(used) {}
    }

    @Test("A working name is the first that is free; a leftover's counts as free")
    func workingNames() throws {
        try self.directory.write("used", to: ".pasteboard-unfinished-1")
        try self.directory.write("left", to: ".pasteboard-unfinished-2")
        let used = try System.open(self.directory[".pasteboard-unfinished-1"])
        #expect(try System.lock(used.raw))
        let taken = try WorkingName.take(in: self.path) { (path) throws(SystemError) in
            DescriptorBox(try System.open(path, [.writing, .exclusive]))
        }
        #expect(taken.path == self.path.appending(".pasteboard-unfinished-2"))
        #expect(try self.directory.contents(of: ".pasteboard-unfinished-2").isEmpty)
        withExtendedLifetime(used) {}
        withExtendedLifetime(taken) {}
    }

    @Test("A name that is not UTF-8, and the time of a file, are kept as they are")
    func bytesAndTime() throws {
        let name = SystemString([0x6E, 0xFF])
        let file = try PendingFile(inDirectory: self.path)
        var attributes = FileAttributes()
        attributes.modifiedSeconds = UInt64(bitPattern: -2)
        attributes.modifiedNanoseconds = 500_000_000
        try file.setModificationTime(of: attributes, for: name)
        let path = try file.keep(as: SafeFileName(ofFile: name))
        #expect(path == self.path.appending(name))
        let status = try #require(try System.status(at: path))
        #expect(status.modifiedAt == -1_500_000_000)
        #expect(FileAttributes(name: name, status).modifiedSeconds == attributes.modifiedSeconds)
        #expect(FileAttributes(name: name, status).modifiedNanoseconds == attributes.modifiedNanoseconds)
    }
}
