import PasteboardTransport
import PasteboardWire
import TestSupport
import Testing

@testable import BrokerLoop

/// The format of the file with contents on the disk.
@Suite(.inProcess) struct SnapshotFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func contents(of sizes: [UInt64], board: String = "x") -> SavedContents {
        var contents = SavedContents()
        contents.format = SavedContents.format
        contents.board = board
        var item = Item()
        for (index, size) in sizes.enumerated() {
            var representation = Representation()
            representation.type = "com.example.type\(index)"
            representation.provision = .kept
            representation.byteCount = size
            item.representations.append(representation)
        }
        contents.items = [item]
        return contents
    }

    private static func record(_ kept: [[UInt8]], board: String = "x") throws -> SnapshotFile.Record {
        let files = try kept.map { bytes -> DescriptorBox? in
            guard !bytes.isEmpty else { return nil }
            let file = try MemoryFile()
            try file.append(bytes.span)
            return file.descriptor
        }
        return SnapshotFile.Record(contents(of: kept.map { UInt64($0.count) }, board: board), kept: files)
    }

    private func file(_ records: [SnapshotFile.Record]) throws -> [UInt8] {
        let file = try System.open(directory["file"], [.writing, .creating, .truncating])
        try SnapshotFile.write(records, to: file.raw) { true }
        return try directory.contents(of: "file")
    }

    /// The bytes of each record; nil for damaged ones.
    private func read(_ bytes: [UInt8]) throws -> [[[UInt8]]?] {
        try directory.write(bytes, to: "read")
        let file = try System.open(directory["read"])
        var records: [[[UInt8]]?] = []
        var offset: UInt64 = 0
        while true {
            do {
                guard let record = try SnapshotFile.read(file.raw, at: &offset, step: { true }) else { return records }
                records.append(try record.kept.map { try $0?.contents(limit: .max) ?? [] })
            } catch is Failure {
                records.append(nil)
            }
        }
    }

    @Test(
        "Kept bytes are read as they were written",
        arguments: [[], [0], [1], [3, 0, 300_000], [262_144, 1], [9 << 20]]
    )
    func same(sizes: [Int]) throws {
        let kept = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) } }
        let records = [try Self.record(kept), try Self.record([[1]])]
        let bytes = try file(records)
        #expect(try read(bytes) == [kept, [[1]]])
        #expect(records.reduce(0) { $0 + $1.size } == UInt64(bytes.count))
    }

    @Test("A changed byte damages one record, and a missing end only the last one", .tags(.f103))
    func damaged() throws {
        let kept: [[UInt8]] = [[1, 2, 3], Array(repeating: 0, count: 40)]
        let first = try Self.record(kept)
        let bytes = try file([first, try Self.record(kept, board: "y")])
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << (index % 8)
            let records = try read(changed)
            let isFirst = index < first.size
            #expect(records[0] == (isFirst ? nil : kept), "byte \(index)")
            // With a wrong size of the first one, the second one is not found.
            #expect(records.dropFirst().allSatisfy { $0 == nil || isFirst && $0 == kept }, "byte \(index)")
            let cut = try read(Array(bytes.prefix(index)))
            #expect(cut == [kept, nil] || cut == [kept] || cut == [nil] || cut == [], "\(index) bytes")
        }
        for more: [UInt8] in [[0], Array(repeating: 0, count: 8)] {
            #expect(try read(bytes + more) == [kept, kept, nil])
        }
    }

    @Test("Sizes that no file can have are damage, not a trap")
    func sizes() throws {
        for size: UInt64 in [.max, .max - 7, 1 << 63, 1 << 40] {
            var bytes = Array("pbspool\n".utf8)
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: size >> (8 * shift))) }
            bytes += Array(repeating: 0, count: 100)
            #expect(try read(bytes) == [nil])
        }
        let huge = SnapshotFile.Record(Self.contents(of: [.max, .max]), kept: [])
        #expect(huge.size == .max)
        #expect(try read(file([huge])) == [nil])
    }
}
