import PasteboardTransport
import PasteboardWire

/// The format of a snapshot: a record for each pasteboard.
///
/// A record consists of the mark, the size of the description in 8 bytes, the description (a `SavedContents`), the kept
/// bytes of the representations in order, and a checksum of all that in 8 bytes. Numbers are little-endian. A damaged
/// record does not cost the others, if its sizes can be read.
enum SnapshotFile {
    private static let mark = Array("pbspool\n".utf8)
    private static let headerSize = mark.count + 8
    private static let checksumSize = 8
    /// The greatest size of a description.
    static let descriptionLimit = 64 << 20
    /// The bytes that are read and written at once.
    private static let chunk = 256 << 10
    /// The bytes after which the disk has to have them, so that a slow one shows progress.
    private static let synchronized: UInt64 = 8 << 20

    /// The contents of a pasteboard.
    struct Record: Sendable {
        /// The encoded `SavedContents`.
        let description: [UInt8]
        /// The kept bytes; nil for those that are empty.
        let kept: [DescriptorBox?]
        /// The number of bytes in the file.
        let size: UInt64

        init(_ contents: SavedContents, kept: [DescriptorBox?]) {
            description = contents.encoded
            self.kept = kept
            size = contents.keptSizes.reduce(UInt64(headerSize + description.count + checksumSize)) {
                $0.addingClamped($1)
            }
        }
    }

    // MARK: Writing

    /// Writes records, and waits until they are on the disk.
    ///
    /// - Parameter step: called after each part. If it returns false, the file stays incomplete.
    static func write(_ records: [Record], to file: CInt, step: () -> Bool) throws(SystemError) {
        var unsynchronized: UInt64 = 0
        for record in records {
            var checksum = Checksum()
            func write(_ bytes: [UInt8]) throws(SystemError) {
                checksum.add(bytes)
                try System.write(bytes.span, to: file)
                unsynchronized += UInt64(bytes.count)
            }
            try write(mark + littleEndian(UInt64(record.description.count)) + record.description)
            for kept in record.kept {
                guard let kept else { continue }
                var offset: UInt64 = 0
                while step() {
                    if unsynchronized >= synchronized {
                        try System.synchronize(file)
                        unsynchronized = 0
                    }
                    let bytes = try System.bytes(of: kept.raw, from: offset, count: chunk)
                    if bytes.isEmpty { break }
                    try write(bytes)
                    offset += UInt64(bytes.count)
                }
            }
            guard step() else { return }
            try System.write(littleEndian(checksum.value).span, to: file)
        }
        try System.synchronize(file)
    }

    // MARK: Reading

    /// Reads the record at an offset, and its kept bytes into memory: nil for those that are empty.
    ///
    /// - Parameter offset: moved to the next record; to the end of the file if the size of the record is not known.
    /// - Returns: nil at the end of the file, and if `step`, which is called after each part, returns false.
    static func read(
        _ file: CInt,
        at offset: inout UInt64,
        step: () -> Bool
    ) throws(Failure) -> (contents: SavedContents, kept: [MemoryFile?])? {
        do {
            let end = try System.status(of: file).size
            let start = offset
            guard start < end else { return nil }
            offset = end
            let header = try System.bytes(of: file, from: start, count: headerSize)
            let count = header.dropFirst(mark.count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard header.starts(with: mark), header.count == headerSize, count <= min(end, UInt64(descriptionLimit))
            else { throw damaged("a record has no header") }
            var position = start + UInt64(headerSize)
            let description = try System.bytes(of: file, from: position, count: Int(count))
            position += count
            let contents = try SavedContents(decoding: description)
            let sizes = contents.keptSizes
            let next = sizes.reduce(position.addingClamped(UInt64(checksumSize))) { $0.addingClamped($1) }
            guard next <= end else { throw damaged("a record ends too early") }
            offset = next
            var checksum = Checksum()
            checksum.add(header)
            checksum.add(description)
            var kept: [MemoryFile?] = []
            for size in sizes {
                let memory = size == 0 ? nil : try MemoryFile()
                let last = position + size
                while position < last {
                    guard step() else { return nil }
                    let bytes = try System.bytes(
                        of: file,
                        from: position,
                        count: Int(min(UInt64(chunk), last - position))
                    )
                    // It has become shorter meanwhile.
                    if bytes.isEmpty { throw damaged("a record ends too early") }
                    checksum.add(bytes)
                    try memory?.append(bytes.span)
                    position += UInt64(bytes.count)
                }
                try memory?.seal()
                kept.append(memory)
            }
            guard try System.bytes(of: file, from: position, count: checksumSize) == littleEndian(checksum.value) else {
                throw damaged("the bytes of pasteboard \(contents.board.printable) do not match their checksum")
            }
            return (contents, kept)
        } catch {
            throw error as? Failure ?? Failure(.sourceFailed, "\(error)")
        }
    }

    private static func damaged(_ reason: String) -> Failure {
        Failure(.invalidArgument, "the file is damaged: \(reason)")
    }

    private static func littleEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

extension SavedContents {
    /// The sizes of the kept bytes.
    var keptSizes: [UInt64] {
        items.flatMap { $0.representations.filter { $0.provision == .kept }.map { $0.byteCount ?? 0 } }
    }
}

/// A checksum that finds damage, with certainty if a single byte is damaged: FNV-1a with 64 bits. It does not find
/// deliberate changes.
private struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
