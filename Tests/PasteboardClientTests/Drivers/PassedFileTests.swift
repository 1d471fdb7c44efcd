import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

/// Copies of a file that another process has passed, and may change.
@Suite(.pure) struct PassedFileTests {
    private static let size: UInt64 = 300_000
    /// A file that is a hole of `size` bytes but for its first and, perhaps, its last byte.
    private func sparse(endsWithData: Bool) throws -> DescriptorBox {
        let file = try MemoryFile().descriptor
        try System.write([1].span, to: file.raw)
        try System.truncate(file.raw, to: Self.size - (endsWithData ? 1 : 0))
        try System.seek(file.raw, to: Self.size - 1)
        if endsWithData { try System.write([2].span, to: file.raw) }
        return file
    }

    private func copy(_ file: DescriptorBox, _ size: UInt64) throws -> MemoryFile {
        let copy = try MemoryFile()
        try PassedFile(descriptor: file, byteCount: size, isImmutable: false)
            .copy(to: copy.descriptor.raw) { _ in
            } write: { _ in
                Issue.record("not copied by the kernel")
            }
        return copy
    }

    @Test("A copy has the bytes and the holes of the file", arguments: [true, false])
    func holes(endsWithData: Bool) throws {
        let file = try sparse(endsWithData: endsWithData)
        let copy = try copy(file, Self.size)
        let bytes = try copy.contents(limit: Int(Self.size))
        #expect(bytes.count == Int(Self.size) && bytes.first == 1 && bytes.last == (endsWithData ? 2 : 0))
        #expect(bytes.reduce(0) { $0 + Int($1) } == (endsWithData ? 3 : 1))
        #expect(try System.data(of: copy.descriptor.raw, from: 0).upperBound < 100_000)
    }

    @Test("A file that was shortened ends the copy with an error, also in a hole", arguments: [true, false])
    func shortened(endsWithData: Bool) throws {
        let file = try sparse(endsWithData: endsWithData)
        let failure = #expect(throws: Failure.self) { try copy(file, Self.size + 100_000) }
        #expect(failure?.code == .sourceTruncated)
    }
}
