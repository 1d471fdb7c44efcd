import Glibc
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct SystemTests {
    @Test("An error names the call, the subject and the reason")
    func errorText() {
        let error = #expect(throws: SystemError.self) { _ = try System.open("/nonexistent/file") }
        #expect(error?.description == "open /nonexistent/file: No such file or directory")
        #expect(error?.errno == ENOENT)
    }

    @Test("All bytes are written, even to a full non-blocking socket")
    func writesAll() throws {
        let ends = try Socket.pair()
        Socket.setBuffers(of: ends.first.raw, bytes: 1)
        let number = ends.first.raw
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let writer = try SystemThread(name: "writer") { try? System.write(bytes.span, to: number) }
        var read: [UInt8] = []
        while read.count < bytes.count {
            _ = try System.poll([PollInterest(ends.second.raw, .readable)], milliseconds: nil)
            read += try System.read(ends.second.raw, upTo: 7000)
        }
        writer.join()
        #expect(read == bytes)
    }

    @Test("A poll reports which descriptors are ready, and ends at its timeout")
    func polls() throws {
        let one = try System.pipe()
        let other = try System.pipe()
        let interests = [PollInterest(one.first.raw, .readable), PollInterest(other.first.raw, .readable)]
        #expect(try System.poll(interests, milliseconds: 0) == [[], []])
        try System.write([1].span, to: other.second.raw)
        #expect(try System.poll(interests, milliseconds: nil) == [[], .readable])
    }

    @Test("Files are created exclusively, renamed, examined and removed")
    func files() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        let file = try System.open(path, [.writing, .exclusive], mode: 0o640)
        try System.write([1, 2, 3].span, to: file.raw)
        let status = try #require(try System.status(at: path))
        #expect(status.kind == .regular && status.size == 3 && status.owner == System.userID)
        #expect(try System.status(of: file.raw).isSameFile(as: status))
        let again = #expect(throws: SystemError.self) { _ = try System.open(path, [.writing, .exclusive]) }
        #expect(again?.errno == EEXIST)
        try System.rename(path, to: path + "2")
        #expect(try System.status(at: path) == nil)
        #expect(try System.contents(of: path + "2") == [1, 2, 3])
        try System.unlink(path + "2")
        #expect(try System.status(of: file.raw).links == 0)
        #expect(symlink("/", path) == 0)
        #expect(try System.status(at: path)?.kind == .symbolicLink)
        #expect(try System.linkTarget(path) == "/")
        #expect(throws: SystemError.self) { _ = try System.open(path, .notFollowingLinks) }
        #expect(try System.status(at: directory.path)?.kind == .directory)
        #expect(try System.status(at: "\(directory.path)/file2/below") == nil)
    }

    @Test("The program, the boot id and the environment are available")
    func process() throws {
        #expect(try System.programPath().hasPrefix("/"))
        #expect(try System.bootID().count == 36)
        #expect(System.memorySize() > 1 << 20)
        #expect(System.environment("PASTEBOARD_NO_SUCH_VARIABLE") == nil)
        #expect(System.environment().contains { $0.hasPrefix("PATH=") })
        #expect(try System.randomBytes(16) != System.randomBytes(16))
    }

    @Test("The width of a terminal is that of the moment, and nothing else has a width")
    func terminalColumns() throws {
        let terminal = try PseudoTerminal()
        #expect(System.terminalColumns(terminal.other) == nil, "its width was not set yet")
        for columns in [80, 40] {
            terminal.resize(columns: columns, rows: 24)
            #expect(System.terminalColumns(terminal.other) == columns)
        }
        #expect(System.terminalColumns(try System.pipe().first.raw) == nil)
    }
}
