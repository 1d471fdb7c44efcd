import PasteboardClient
import PasteboardTransport
import TestSupport
import Testing

@Suite(.pure) struct OutgoingFileTests {
    private func file(_ bytes: [UInt8], byteCount: UInt64) throws -> OutgoingFile {
        let file = try MemoryFile()
        try file.append(bytes.span)
        return OutgoingFile(file.descriptor, byteCount: byteCount)
    }

    @Test("A file is read in chunks that the stream has room for, and the last one is marked")
    func chunks() throws {
        var file = try self.file([1, 2, 3, 4, 5], byteCount: 5)
        #expect(try file.next(room: 0) == nil)
        let first = try #require(try file.next(room: 3))
        #expect(first.count == 3 && !first.isLast)
        // The stream has carried only a part of the chunk.
        file.advance(by: 2)
        let second = try #require(try file.next())
        #expect(second.count == 3 && second.isLast)
        file.advance(by: 3)
        #expect(file.sent == 5)
    }

    @Test("An empty file is one empty chunk, which needs no room")
    func empty() throws {
        let chunk = try #require(try file([], byteCount: 0).next(room: 0))
        #expect(chunk.count == 0 && chunk.isLast)
    }

    @Test("Bytes that were appended after the size was announced are not sent")
    func appended() throws {
        let chunk = try #require(try file([1, 2, 3], byteCount: 2).next())
        #expect(chunk.count == 2 && chunk.isLast)
    }

    @Test("A file that has become shorter fails with an error that contains its size")
    func truncated() throws {
        let file = try self.file([1, 2, 3], byteCount: 9)
        let error = #expect(throws: OutgoingFile.ReadError.self) { _ = try file.next() }
        guard case .truncated(at: 3) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
    }

    @Test("A file that cannot be read fails with the system's error")
    func unreadable() throws {
        let file = OutgoingFile(DescriptorBox(try System.open("/dev/null", .writing)), byteCount: 1)
        let error = #expect(throws: OutgoingFile.ReadError.self) { _ = try file.next() }
        guard case .unreadable = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
    }
}
