import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// The format of the files that keep contents on disk.
@Suite(.inProcess) struct SpoolFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func description(of sizes: [Int]) -> [UInt8] {
        var contents = SavedContents()
        contents.format = SavedContents.format
        contents.board = "x"
        var item = Item()
        for (index, size) in sizes.enumerated() {
            var representation = Representation()
            representation.type = "com.example.type\(index)"
            representation.provision = .kept
            representation.byteCount = UInt64(size)
            item.representations.append(representation)
        }
        contents.items = [item]
        var bytes: [UInt8] = []
        contents.encode(into: &bytes)
        return bytes
    }

    private func memory(_ bytes: [UInt8]) throws -> DescriptorBox? {
        guard !bytes.isEmpty else { return nil }
        let file = try MemoryFile()
        try file.append(bytes.span)
        return file.descriptor
    }

    /// Writes a file with kept bytes of these sizes, and returns it.
    private func file(_ kept: [[UInt8]]) throws -> [UInt8] {
        let file = try System.open(directory["file"], [.writing, .creating, .truncating])
        try SpoolFile.write(
            Self.description(of: kept.map(\.count)),
            kept: try kept.map { try memory($0) },
            to: file.raw
        ) { false }
        return try directory.contents(of: "file")
    }

    private func read(_ bytes: [UInt8]) throws -> [[UInt8]] {
        try directory.write(bytes, to: "read")
        let file = try System.open(directory["read"])
        return try SpoolFile.contents(of: file.raw).kept.map { try $0?.contents(limit: .max) ?? [] }
    }

    @Test("Kept bytes are read as they were written", arguments: [[], [0], [1], [3, 0, 300_000], [262_144, 1]])
    func same(sizes: [Int]) throws {
        let kept = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) } }
        let bytes = try file(kept)
        #expect(try read(bytes) == kept)
        let expected = SpoolFile.size(
            description: Self.description(of: sizes).count,
            kept: UInt64(sizes.reduce(0, +))
        )
        #expect(bytes.count == Int(expected))
    }

    @Test("A file with a changed byte, without its end or with more than that is damaged", .tags(.f103))
    func damaged() throws {
        let bytes = try file([[1, 2, 3], Array(repeating: 0, count: 40)])
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            #expect(throws: Failure.self, "byte \(index)") { try read(changed) }
            #expect(throws: Failure.self, "\(index) bytes") { try read(Array(bytes.prefix(index))) }
        }
        for more: [UInt8] in [[0], Array(repeating: 0, count: 8), bytes] {
            #expect(throws: Failure.self) { try read(bytes + more) }
        }
    }

    @Test("Sizes that no file can have are damage, not a trap")
    func sizes() throws {
        for size: UInt64 in [.max, .max - 7, 1 << 63, 1 << 40] {
            var bytes = Array("pbspool\n".utf8)
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: size >> (8 * shift))) }
            bytes += Array(repeating: 0, count: 100)
            #expect(throws: Failure.self) { try read(bytes) }
        }
        var contents = SavedContents()
        var item = Item()
        for index in 0..<2 {
            var representation = Representation()
            representation.type = "com.example.type\(index)"
            representation.provision = .kept
            representation.byteCount = UInt64.max
            item.representations.append(representation)
        }
        contents.items = [item]
        var description: [UInt8] = []
        contents.encode(into: &description)
        let file = try System.open(directory["file"], [.writing, .creating])
        let none: [DescriptorBox?] = []
        try SpoolFile.write(description, kept: none, to: file.raw, isOver: { false })
        let bytes = try directory.contents(of: "file")
        #expect(throws: Failure.self) { try read(bytes) }
    }
}
