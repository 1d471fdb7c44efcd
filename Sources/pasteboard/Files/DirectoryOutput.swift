import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// A new file or folder in a directory, named after the item. The copy of a file, and everything in a folder, keeps its
/// name, its permissions as far as the umask allows, and its modification time.
final class DirectoryOutput: PasteSink {
    /// A paragraph for the help of each command that writes files into a directory.
    static let help = """
        The copy of a file keeps the exact name of that file, its permissions as far as the umask allows, and its
        modification time; only '/', control characters and the names '.' and '..' are replaced by '_'. In a name that a
        program suggested, unsafe characters are replaced and the extension of the type is added. If a name is taken, the
        new file gets a number, and no file is replaced; only paste --force replaces files, and directories as a whole.
        """

    private let directory: SystemString
    private let isLasting: Bool
    private let mayReplace: (SystemString) -> Bool
    private var pending: PendingFile?
    private var folder: PendingFolder?
    private var name: SafeFileName?
    private var file: FileAttributes?
    private var isNamed = false

    var leavesFile: Bool { true }
    var descriptor: CInt? { pending?.raw ?? folder?.raw }

    /// - Parameters:
    ///   - isLasting: whether the file has to survive a crash of the machine, because the source deletes its own.
    ///   - mayReplace: whether the present file or directory at a path is replaced.
    init(
        directory: SystemString,
        isLasting: Bool = false,
        mayReplace: @escaping (SystemString) -> Bool = { _ in false }
    ) {
        self.directory = directory
        self.isLasting = isLasting
        self.mayReplace = mayReplace
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        name = SafeFileName(suggested: suggestedName, file: file, type: type)
        isNamed = suggestedName != nil || file?.name != nil
        guard !isArchive else {
            folder = try PendingFolder(inDirectory: directory)
            return
        }
        self.file = file
        let mode = file?.copyMode ?? 0o666
        pending = try PendingFile(inDirectory: directory, mode: mode)
    }

    func narrow(to mode: UInt32) throws(SystemError) {
        if file?.mode != nil { try pending?.narrow(to: mode) }
    }

    func failure(_ error: SystemError) -> (any Error)? {
        let name = name?.candidate(1) ?? directory
        guard let folder else { return CommandFailure("cannot write", name, error) }
        return folder.failure(error, for: name)
    }

    func finish() throws -> SystemString? {
        if let folder, let name {
            return try folder.keep(isLasting: isLasting, mayReplace: mayReplace) {
                isNamed ? name : SafeFileName(ofFile: $0)
            }
        }
        guard let pending, let name else { return nil }
        let first = name.candidate(1)
        if let file { try pending.setModificationTime(of: file, for: first) }
        if isLasting { try explaining("cannot write", first) { try System.synchronize(pending.raw) } }
        var path = directory.appending(first)
        if mayReplace(path) {
            guard try System.status(at: path)?.kind != .directory else {
                throw CommandFailure(
                    local: "cannot replace \(path), because it is a directory and the item is a file; move it"
                )
            }
            try pending.keep(as: first)
        } else {
            path = try pending.keep(as: name)
        }
        if isLasting {
            try explaining("cannot write", directory) {
                let directory = try System.open(directory, .directory)
                try System.synchronize(directory.raw)
            }
        }
        return path
    }
}
