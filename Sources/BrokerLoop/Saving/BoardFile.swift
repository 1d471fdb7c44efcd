import PasteboardTransport
import PasteboardWire

/// The file of a board in the kept directory: a mark, the size of the description in 8 bytes, the description (a
/// `SavedContents`), and the small bytes of its kept representations in order. Numbers are little-endian.
enum BoardFile {
    private static let mark = Array("pbkept\n\0".utf8)
    private static let headerSize = mark.count + 8
    /// The greatest size of a description.
    static let descriptionLimit = 4 << 20
    /// The longest name of a board that is a part of the file's name as it is.
    private static let longestName = 100

    /// Whether the name of a board's file has a hash, which several boards may have.
    static func hasHash(_ board: String) -> Bool { board.utf8.count > longestName }

    /// The name of a board's file. A long name is shortened, and ends with a hash of it.
    static func name(of board: String) -> SystemString {
        func hex(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        let prefix = KeptDirectory.Prefix.board
        guard hasHash(board) else { return SystemString(prefix + hex(board.utf8)) }
        return SystemString(prefix + hex(board.utf8.prefix(longestName)) + "-" + KeptDirectory.hash(board))
    }

    /// The bytes before those of the representations.
    static func start(_ contents: SavedContents) -> [UInt8] {
        let description = contents.encoded
        let size = (0..<8).map { UInt8(truncatingIfNeeded: UInt64(description.count) >> (8 * $0)) }
        return mark + size + description
    }

    /// Reads the description. Throws a `Failure` if the file is damaged.
    ///
    /// - Returns: the description, and the offset of the bytes that follow it.
    static func read(_ file: DescriptorBox, size: UInt64) throws -> (contents: SavedContents, bytesAt: UInt64) {
        let header = try System.bytes(of: file.raw, from: 0, count: headerSize)
        let count = header.dropFirst(mark.count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard header.starts(with: mark), header.count == headerSize, count <= UInt64(descriptionLimit),
            UInt64(headerSize) + count <= size
        else { throw Failure(.invalidArgument, "the file is damaged") }
        let description = try System.bytes(of: file.raw, from: UInt64(headerSize), count: Int(count))
        return (try SavedContents(decoding: description), UInt64(headerSize) + count)
    }
}

extension SavedContents {
    /// The sizes of the kept bytes.
    var keptSizes: [UInt64] {
        items.flatMap { $0.representations.filter { $0.provision == .kept }.map { $0.byteCount ?? 0 } }
    }

    /// The size of all kept bytes.
    var keptSize: UInt64 { keptSizes.reduce(0) { $0.addingClamped($1) } }
}
