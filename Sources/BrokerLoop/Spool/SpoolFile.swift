import PasteboardTransport
import PasteboardWire

/// The format of one file of the spool: the contents of a pasteboard with their kept bytes.
///
/// It consists of the mark, the size of the description in 8 bytes, the description (a `SavedContents`), the kept bytes of
/// the representations in order, and a checksum of all that in 8 bytes. Numbers are little-endian.
enum SpoolFile {
    private static let mark = Array("pbspool\n".utf8)
    private static let headerSize = mark.count + 8
    private static let checksumSize = 8
    /// The greatest size of a description.
    private static let descriptionLimit = 64 << 20
    /// The bytes that are read and written at once.
    private static let chunk = 256 << 10

    /// The number of bytes of a file.
    static func size(description: Int, kept: UInt64) -> UInt64 {
        kept.addingClamped(UInt64(headerSize + description + checksumSize))
    }

    /// The sizes of the kept bytes.
    static func keptSizes(_ contents: SavedContents) -> [UInt64] {
        contents.items.flatMap { $0.representations.filter { $0.provision == .kept }.map { $0.byteCount ?? 0 } }
    }

    // MARK: Writing

    /// Writes a file, and waits until it is on the disk.
    ///
    /// - Parameters:
    ///   - kept: the kept bytes; nil if they are empty.
    ///   - isOver: checked between chunks. If it is true, the file stays incomplete.
    static func write(
        _ description: [UInt8],
        kept: [DescriptorBox?],
        to file: CInt,
        isOver: () -> Bool
    ) throws(SystemError) {
        var checksum = Checksum()
        func write(_ bytes: [UInt8]) throws(SystemError) {
            checksum.add(bytes)
            try System.write(bytes.span, to: file)
        }
        try write(mark + littleEndian(UInt64(description.count)) + description)
        for kept in kept {
            guard let kept else { continue }
            var offset: UInt64 = 0
            while !isOver() {
                let bytes = try System.bytes(of: kept.raw, from: offset, count: chunk)
                if bytes.isEmpty { break }
                try write(bytes)
                offset += UInt64(bytes.count)
            }
        }
        guard !isOver() else { return }
        try System.write(littleEndian(checksum.value).span, to: file)
        try System.synchronize(file)
    }

    // MARK: Reading

    /// Reads the description, which the checksum has not confirmed yet.
    static func description(of file: CInt) throws(Failure) -> SavedContents {
        try readDescription(file).contents
    }

    /// Reads the kept bytes into memory, and checks the whole file.
    ///
    /// - Returns: the contents, and the memory of their kept bytes in order; nil for those that are empty.
    static func contents(of file: CInt) throws(Failure) -> (contents: SavedContents, kept: [MemoryFile?]) {
        let (contents, size, start) = try readDescription(file)
        var checksum = Checksum()
        checksum.add(start)
        var offset = UInt64(start.count)
        let sizes = keptSizes(contents)
        let expected = sizes.reduce(Self.size(description: start.count - headerSize, kept: 0)) { $0.addingClamped($1) }
        guard expected == size else { throw damaged("it has \(size) bytes instead of \(expected)") }
        var kept: [MemoryFile?] = []
        let stored: [UInt8]
        do throws(SystemError) {
            for size in sizes {
                let memory = size == 0 ? nil : try MemoryFile()
                let end = offset + size
                while offset < end {
                    let bytes = try System.bytes(of: file, from: offset, count: Int(min(UInt64(chunk), end - offset)))
                    // It has become shorter meanwhile, which the checksum notices.
                    if bytes.isEmpty { break }
                    checksum.add(bytes)
                    try memory?.append(bytes.span)
                    offset += UInt64(bytes.count)
                }
                try memory?.seal()
                kept.append(memory)
            }
            stored = try System.bytes(of: file, from: offset, count: checksumSize)
        } catch {
            throw Failure(.sourceFailed, "\(error)")
        }
        guard stored == littleEndian(checksum.value) else { throw damaged("its bytes do not match its checksum") }
        return (contents, kept)
    }

    private static func readDescription(
        _ file: CInt
    ) throws(Failure) -> (contents: SavedContents, size: UInt64, start: [UInt8]) {
        let (size, header): (UInt64, [UInt8])
        var description: [UInt8] = []
        do throws(SystemError) {
            size = try System.status(of: file).size
            header = try System.bytes(of: file, from: 0, count: headerSize)
            let count = header.dropFirst(mark.count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            if header.count == headerSize, count <= min(size, UInt64(descriptionLimit)) {
                description = try System.bytes(of: file, from: UInt64(headerSize), count: Int(count))
            }
        } catch {
            throw Failure(.sourceFailed, "\(error)")
        }
        guard header.starts(with: mark), !description.isEmpty else {
            throw damaged("it has no header of a spool file")
        }
        return (try SavedContents(decoding: description), size, header + description)
    }

    private static func damaged(_ reason: String) -> Failure {
        Failure(.invalidArgument, "the file is damaged: \(reason)")
    }

    private static func littleEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// A checksum that finds damage, with certainty if a single byte is damaged: FNV-1a with 64 bits. It does not find deliberate changes.
private struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
