import PasteboardTransport
import PasteboardWire

/// Contents that were found in the kept directory: their description, and their bytes once they were opened.
struct FoundContents {
    let name: SystemString
    var contents: SavedContents
    let file: DescriptorBox
    private let bytesAt: UInt64
    private let fileSize: UInt64
    /// The kept bytes in order; nil for those that are empty.
    private(set) var kept: [KeptMemory.Bytes?] = []

    /// Reads a board's file. Throws a `SystemError` if the system refuses it now, and a `Failure` if it is damaged.
    init(_ name: SystemString, in directory: KeptDirectory) throws {
        let (file, size) = try KeptDirectory.open(name, in: directory.raw)
        (contents, bytesAt) = try BoardFile.read(file, size: size)
        (self.name, self.file, fileSize) = (name, file, size)
        guard BoardFile.name(of: contents.board) == name else {
            throw Failure(.invalidArgument, "it has the contents of another pasteboard")
        }
    }

    /// Opens the files of large representations, and compares all sizes with the description.
    mutating func open(in directory: KeptDirectory) throws {
        let sizes = contents.keptSizes
        guard contents.keptNames.count == sizes.count else {
            throw Failure(.invalidArgument, "it names another number of representations")
        }
        var offset = bytesAt
        for (name, size) in zip(contents.keptNames, sizes) {
            guard !name.isEmpty else {
                let bytes = KeptMemory.Bytes(
                    file: MemoryFile(file, isInDirectory: true),
                    offset: offset,
                    isComplete: true
                )
                kept.append(size == 0 ? nil : bytes)
                offset = offset.addingClamped(size)
                continue
            }
            guard name.hasPrefix(KeptDirectory.Prefix.representation), !name.contains("/"),
                case let (file, found) = try KeptDirectory.open(SystemString(name), in: directory.raw), found == size
            else { throw Failure(.invalidArgument, "the bytes \(name.printable) have another size") }
            kept.append(KeptMemory.Bytes(file: MemoryFile(file, isInDirectory: true), isComplete: true))
        }
        guard offset == fileSize else { throw Failure(.invalidArgument, "its bytes have another size") }
    }
}
