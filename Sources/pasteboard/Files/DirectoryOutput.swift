import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The directory of a paste or a drop, and the rules for names in it.
final class OutputDirectory: Sendable {
    let path: SystemString
    /// The format of all names for `strftime`; nil to use the names of the items.
    fileprivate let pattern: String?
    private let isForced: Bool
    /// The paths of this run, none of which is replaced by a later item of the same name.
    private let written = Lock<Set<SystemString>>([])

    init(_ path: SystemString, isForced: Bool = false, pattern: String? = nil) {
        self.path = path
        self.isForced = isForced
        self.pattern = pattern
    }

    /// Whether the present file or directory at a path is replaced.
    func mayReplace(_ path: SystemString) -> Bool { isForced && written.withLock { !$0.contains(path) } }

    fileprivate func record(_ path: SystemString) -> [SystemString] {
        written.withLock { _ = $0.insert(path) }
        return [path]
    }
}

/// A new file or folder in a directory, named after the item. The copy of a file, and everything in a folder, keeps its
/// name, its permissions as far as the umask allows, and its modification time.
final class DirectoryOutput: PasteSink {
    /// A paragraph for the help of each command that writes files into a directory.
    static let help = """
        A copied file keeps its name, its permissions as far as the umask allows, and its modification time. In a name
        that a program suggested, unsafe characters are replaced and the extension of the type is added. If a name is
        taken, the new file gets a number; only paste --force replaces files, and directories as a whole.
        """

    let directory: OutputDirectory
    /// Whether the file has to survive a crash of the machine, because the source deletes its own.
    let isLasting: Bool
    private var pending: PendingFile?
    private var folder: PendingFolder?
    private var name: SafeFileName?
    private var file: FileAttributes?
    private var isNamed = false

    var leavesFile: Bool { true }
    var descriptor: CInt? { pending?.raw ?? folder?.raw }

    init(in directory: OutputDirectory, isLasting: Bool = false) {
        self.directory = directory
        self.isLasting = isLasting
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        let chosen = directory.pattern.map(WallClock.text)
        name = SafeFileName(suggested: chosen ?? suggestedName, file: chosen == nil ? file : nil, type: type)
        isNamed = chosen != nil || suggestedName != nil || file?.name != nil
        guard !isArchive else {
            folder = try PendingFolder(inDirectory: directory.path)
            return
        }
        self.file = file
        let mode = file?.copyMode ?? 0o666
        pending = try PendingFile(inDirectory: directory.path, mode: mode)
    }

    func narrow(to mode: UInt32) throws(SystemError) {
        if file?.mode != nil { try pending?.narrow(to: mode) }
    }

    func failure(_ error: SystemError) -> (any Error)? {
        let name = name?.candidate(1) ?? directory.path
        guard let folder else { return CommandFailure("cannot write", name, error) }
        return folder.failure(error, for: name)
    }

    func finish() throws -> [SystemString] {
        if let folder, let name {
            return directory.record(
                try folder.keep(in: directory, isLasting: isLasting) { isNamed ? name : SafeFileName(ofFile: $0) }
            )
        }
        guard let pending, let name else { return [] }
        if let file { try pending.setModificationTime(of: file, for: name.candidate(1)) }
        if isLasting {
            try explaining("cannot write", name.candidate(1)) { try System.synchronize(pending.raw) }
        }
        let path = try pending.keep(as: name, in: directory)
        if isLasting {
            try explaining("cannot write", directory.path) {
                let directory = try System.open(directory.path, .directory)
                try System.synchronize(directory.raw)
            }
        }
        return directory.record(path)
    }
}

extension CommandSyntax.Option {
    static let namePattern = Self(
        "--name",
        value: "PATTERN",
        "names files after the time: '%Y-%m-%d %H.%M.%S'"
    )
}
