import Glibc
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@Suite(.pure) struct MemoryFileTests {
    @Test("Bytes are read back from any offset, and none after the end")
    func reads() throws {
        let file = try MemoryFile()
        try file.append([1, 2, 3].span)
        try file.append([4, 5].span)
        #expect(try file.size == 5)
        #expect(try read(file, at: 0, limit: 10) == [1, 2, 3, 4, 5])
        #expect(try read(file, at: 3, limit: 1) == [4])
        #expect(try read(file, at: 5, limit: 10) == [])
        #expect(try read(file, at: .max, limit: 10) == [])
    }

    @Test("A sealed file cannot change, and only a sealed file counts as immutable", .tags(.f58))
    func seals() throws {
        let file = try MemoryFile()
        try file.append([1].span)
        #expect(!System.isFullySealed(file.descriptor.raw))
        #expect(MemoryFile(sealed: file.descriptor) == nil)
        try file.seal()
        #expect(System.isFullySealed(file.descriptor.raw))
        #expect(MemoryFile(sealed: file.descriptor) != nil)
        #expect(throws: SystemError.self) { try file.append([2].span) }
        #expect(try read(file, at: 0, limit: 10) == [1])
    }

    @Test("While a read holds a page, one attempt to seal fails, and enough attempts succeed")
    func sealsUnderReads() throws {
        let file = try MemoryFile()
        try file.append([UInt8](repeating: 1, count: 4_096).span)
        let pipe = try System.pipe()
        let (input, output) = (pipe.first.raw, pipe.second.raw)
        // The pipe holds a page of the file, as a read in progress does.
        guard case .count(4_096) = try System.sendFile(file.descriptor.raw, at: 0, to: output, count: 4_096) else {
            Issue.record("the pipe does not take the page")
            return
        }
        let error = #expect(throws: SystemError.self) { try file.seal() }
        #expect(error?.errno == EBUSY)
        let reader = DescriptorBox(try System.duplicate(input))
        try SystemThread(name: "reader") { _ = try? System.read(reader.raw, upTo: 4_096) }.detach()
        try file.seal(attempts: 100_000)
        #expect(System.isFullySealed(file.descriptor.raw))
        withExtendedLifetime(pipe) {}
    }

    @Test("Other files and pipes do not count as immutable")
    func othersAreMutable() throws {
        let pipe = try System.pipe()
        let file = try System.open("/proc/self/exe")
        #expect(!System.isFullySealed(pipe.first.raw) && !System.isFullySealed(file.raw))
    }

    @Test("A frame's payload is read from the file directly into the output")
    func frames() throws {
        let file = try MemoryFile()
        try file.append([1, 2, 3].span)
        let ends = try Socket.pair()
        var output = OutputBuffer()
        var delivered: [Delivery] = []
        try output.appendStream(upTo: 100) { payload throws(SystemError) in
            _ = try file.read(at: 1, into: &payload)
            return FrameHeader(.data, stream: 1, length: 0, flags: .last)
        }
        #expect(output.streamCount == 18)
        #expect(try output.flush(to: ends.first.raw, delivered: &delivered) == .empty)
        let bytes = try System.read(ends.second.raw, upTo: 100)
        #expect(bytes == [2, 0, 0, 0, 48, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 3])
    }

    private func read(_ file: MemoryFile, at offset: UInt64, limit: Int) throws -> [UInt8] {
        try [UInt8](capacity: limit) { output throws(SystemError) in _ = try file.read(at: offset, into: &output) }
    }
}
