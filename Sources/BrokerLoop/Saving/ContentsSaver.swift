import BrokerState
import Glibc
import PasteboardTransport
import PasteboardWire

/// A file of saved contents, which stays open: the end of the user's last session removes the names before the broker
/// has copied the bytes to the disk.
typealias SavedFile = (name: SystemString, file: DescriptorBox)

/// Saves contents in the kept directory: one file for each board, with the description of its contents and their small
/// bytes, and one for each large representation.
///
/// The files of large representations get their names first, then the file of the board takes the place of the earlier
/// one in one step, then the files that the earlier one has named are removed. So a board has its earlier contents or
/// its new ones, at each moment.
struct ContentsSaver {
    /// The contents that are saved of a board.
    private struct Entry {
        let id: PublicationID
        /// The file of the board.
        let board: SavedFile
        let large: [SavedFile]
    }

    let directory: KeptDirectory
    private let closer: DescriptorCloser
    private var entries: [String: Entry] = [:]
    /// The board of contents.
    private var boards: [PublicationID: String] = [:]

    init(_ directory: KeptDirectory, closer: DescriptorCloser) {
        self.directory = directory
        self.closer = closer
    }

    /// Saves contents in place of what is saved of their board. If that fails, nothing is saved of the board: earlier
    /// contents must not come back in place of newer ones.
    ///
    /// - Parameters:
    ///   - contents: their description, without the names of files.
    ///   - kept: their kept bytes in order; nil for those that are empty. Those that become a part of the board's file
    ///     are moved there.
    mutating func save(
        _ id: PublicationID,
        _ contents: SavedContents,
        kept: inout [KeptMemory.Bytes?]
    ) throws(SystemError) {
        let name = BoardFile.name(of: contents.board)
        if belongsToAnother(name, than: contents.board) {
            throw SystemError(call: "save", errno: EEXIST, subject: "\(name), the name for another pasteboard")
        }
        var (contents, large): (SavedContents, [SavedFile]) = (contents, [])
        let board: MemoryFile
        do throws(SystemError) {
            var (bytes, moved): ([UInt8], [(index: Int, offset: Int)]) = ([], [])
            for (index, size) in contents.keptSizes.enumerated() {
                guard let stored = kept[index] else {
                    contents.keptNames.append("")
                    continue
                }
                if size <= SavingRules.partSize, bytes.count + Int(size) <= SavingRules.partsSize {
                    moved.append((index, bytes.count))
                    bytes += try Self.read(stored, size: Int(size))
                    contents.keptNames.append("")
                    continue
                }
                let own = try ownFile(of: stored, size: size)
                kept[index] = own
                let name = try Self.newName()
                try directory.link(own.file.descriptor, as: SystemString(name))
                large.append((SystemString(name), own.file.descriptor))
                contents.keptNames.append(name)
            }
            let start = BoardFile.start(contents)
            board = MemoryFile(
                try directory.write((start + bytes).span, as: name),
                isInDirectory: true
            )
            for (index, offset) in moved {
                kept[index] = KeptMemory.Bytes(file: board, offset: UInt64(start.count + offset), isComplete: true)
            }
        } catch {
            remove(large)
            if let entry = forget(contents.board) { remove(entry.large) }
            directory.remove(name)
            throw error
        }
        if let earlier = forget(contents.board) { remove(earlier.large) }
        entries[contents.board] = Entry(id: id, board: (name, board.descriptor), large: large)
        boards[id] = contents.board
    }

    /// Whether the name of a board's file, which has a hash, is that of another board.
    private func belongsToAnother(_ name: SystemString, than board: String) -> Bool {
        BoardFile.hasHash(board) && entries.contains { $0.key != board && $0.value.board.name == name }
    }

    private static func read(_ stored: KeptMemory.Bytes, size: Int) throws(SystemError) -> [UInt8] {
        let bytes = try System.bytes(of: stored.file.descriptor.raw, from: stored.offset, count: size)
        guard bytes.count == size else {
            throw SystemError(call: "read", errno: EIO, subject: "kept bytes, which were shortened")
        }
        return bytes
    }

    /// The bytes in a file of the directory that has only them. Those of a board's file for which this one has no room
    /// are copied, and so are small ones that were passed in anonymous memory.
    private func ownFile(of stored: KeptMemory.Bytes, size: UInt64) throws(SystemError) -> KeptMemory.Bytes {
        guard stored.offset > 0 || !stored.file.isInDirectory else { return stored }
        guard size <= SavingRules.partSize else {
            throw SystemError(call: "save", errno: ENOSPC, subject: "bytes for which \(directory.path) had no room")
        }
        let (file, bytes) = (try directory.makeFile(), try Self.read(stored, size: Int(size)))
        try file.append(bytes.span)
        return KeptMemory.Bytes(file: try file.completed(), isComplete: true)
    }

    private static func newName() throws(SystemError) -> String {
        let number = try System.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return KeptDirectory.Prefix.representation + String(number, radix: 16)
    }

    /// Removes contents, if they are what is saved of their board.
    mutating func remove(_ id: PublicationID) {
        guard let board = boards[id], let entry = forget(board) else { return }
        directory.remove(entry.board.name)
        remove(entry.large)
    }

    private mutating func forget(_ board: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: board) else { return nil }
        boards[entry.id] = nil
        return entry
    }

    private func remove(_ large: [SavedFile]) {
        for (name, file) in large {
            directory.remove(name)
            // The last one to close it releases its pages.
            closer.release(file)
        }
    }

    /// Whether contents are what is saved of their board.
    func holds(_ id: PublicationID) -> Bool { boards[id] != nil }

    /// The files of saved contents, that of the board last.
    func files(of id: PublicationID) -> [SavedFile]? {
        guard let board = boards[id], let entry = entries[board] else { return nil }
        return entry.large + [entry.board]
    }

    /// Records contents that were restored.
    mutating func restored(_ id: PublicationID, of found: FoundContents) {
        let named = zip(found.contents.keptNames, found.kept).compactMap { name, bytes in
            name.isEmpty ? nil : bytes.map { SavedFile(SystemString(name), $0.file.descriptor) }
        }
        entries[found.contents.board] = Entry(id: id, board: (found.name, found.file), large: named)
        boards[id] = found.contents.board
    }
}
