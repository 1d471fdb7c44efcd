import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// The destination of pasted bytes.
protocol PasteSink: AnyObject {
    /// Called before the first byte.
    ///
    /// - Parameters:
    ///   - isArchive: whether the bytes are a tar archive of the folder that is pasted.
    ///   - file: the attributes of the file that it is, if it is one.
    func begin(
        _ type: UniformType,
        isArchive: Bool,
        suggestedName: String?,
        file: FileAttributes?
    ) throws
    func write(_ bytes: Span<UInt8>) throws
    /// Whether ending in the middle leaves a file behind, so that signals have to wait for it to be removed.
    var leavesFile: Bool { get }
    /// The descriptor that the kernel may write all bytes to; nil if each byte has to be inspected.
    var descriptor: CInt? { get }
    /// The error for a failed write.
    func failure(_ error: SystemError) -> any Error
    /// Called when all bytes have arrived.
    func finish() throws
    /// Ends an unfinished line; called before anything else is written to a terminal that shows the bytes.
    func endLine()
}

extension PasteSink {
    func endLine() {}
}

/// Standard output as it is.
final class PlainOutput: PasteSink {
    var leavesFile: Bool { false }
    var descriptor: CInt? { 1 }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) {}

    func write(_ bytes: Span<UInt8>) throws {
        try StandardStreams.write(bytes)
    }

    func failure(_ error: SystemError) -> any Error { StandardStreams.failure(error) }

    func finish() {}
}

/// Standard output that is a terminal. It gets only text, without control sequences.
final class TerminalOutput: PasteSink {
    private let endsLine: Bool
    private let isQuiet: Bool
    private var text = VisibleText()
    private var type = UniformType.data
    private var isText = true
    private var isInLine = false

    var leavesFile: Bool { false }
    var descriptor: CInt? { nil }

    /// - Parameters:
    ///   - endsLine: whether text without a newline at its end gets one, so that the prompt does not stick to it.
    ///   - isQuiet: whether notes are left out.
    init(endsLine: Bool, isQuiet: Bool) {
        self.endsLine = endsLine
        self.isQuiet = isQuiet
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        self.type = type
        guard !isArchive else {
            throw CommandFailure(
                usage: "this is a folder; use --into DIR for its tree, or a pipe or -o FILE.tar for an archive of it"
            )
        }
        self.isText = type.conforms(to: .text)
        // A picture is refused before its bytes come. Of other types some are text: certificates, drawings, links.
        let families: [UniformType] = [.image, .audiovisualContent, .archive, .executable, .font]
        guard self.isText || !families.contains(where: type.conforms) else { throw self.refusal }
    }

    func write(_ bytes: Span<UInt8>) throws {
        for index in bytes.indices where bytes[index] == 0 { throw self.refusal }
        // The start decides: a later piece may begin inside a character.
        guard self.isText || UTF8Scan.isText(bytes, isWhole: false) else { throw self.refusal }
        self.isText = true
        try self.show(self.text.append(bytes))
    }

    func finish() throws {
        try self.show(self.text.finish())
        if self.endsLine { self.endLine() }
        guard self.text.escapedCount > 0, !self.isQuiet else { return }
        self.endLine()
        let bytes = self.text.escapedCount == 1 ? "1 unsafe byte" : "\(self.text.escapedCount) unsafe bytes"
        StandardStreams.note(
            "pasteboard: paste: shown as \\xNN: \(bytes); --raw writes the text unchanged"
        )
    }

    func endLine() {
        // Errors are ignored: if this fails, the terminal shows nothing that follows either.
        if self.isInLine { try? StandardStreams.print("\n") }
        self.isInLine = false
    }

    private func show(_ bytes: [UInt8]) throws {
        try StandardStreams.write(bytes.span)
        if let last = bytes.last { self.isInLine = last != UInt8(ascii: "\n") }
    }

    func failure(_ error: SystemError) -> any Error { StandardStreams.failure(error) }

    private var refusal: CommandFailure {
        let type = UniformType.readable(self.type.identifier)
        return CommandFailure(usage: "\(type) is not text, and this is a terminal; use -o FILE, a pipe, or --raw")
    }
}

/// A file that exists once all bytes are in it.
final class FileOutput: PasteSink {
    private let path: SystemString
    private var pending: PendingFile?
    private var special: DescriptorBox?
    private var mode: UInt32?

    /// False for a pipe or device: a write to one may wait for its reader, and a signal has to end the process then.
    var leavesFile: Bool {
        let kind = (try? self.followingLinks())?.status?.kind
        return kind == nil || kind == .regular
    }

    var descriptor: CInt? { self.special?.raw ?? self.pending?.raw }

    init(path: SystemString) {
        self.path = path
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        let target = try self.followingLinks()
        switch target.status?.kind {
        case .directory:
            throw CommandFailure(local: "\(self.path) is a directory; use --into to paste into it")
        case .regular, nil:
            // New contents must not run with the set-user-id bit of the old ones.
            self.mode = target.status.map { $0.mode & FileAttributes.permissions }
            // As with cp: a copy of a private key, or of a private folder's archive, must not be readable by others.
            let mode = file?.mode.map { $0 & (isArchive ? 0o666 : FileAttributes.permissions) } ?? 0o666
            WorkingName.removeLeftovers(in: target.path.directory)
            self.pending = try PendingFile(inDirectory: target.path.directory, mode: mode)
        default:
            // A device or pipe is written to and not replaced by a file.
            do {
                self.special = DescriptorBox(try System.open(self.path, .writing))
            } catch {
                throw CommandFailure("cannot open", self.path, error)
            }
        }
    }

    func write(_ bytes: Span<UInt8>) throws {
        try self.pending?.write(bytes, for: self.path)
        guard let special = self.special else { return }
        do {
            try System.write(bytes, to: special.raw)
        } catch {
            throw self.failure(error)
        }
    }

    func failure(_ error: SystemError) -> any Error { CommandFailure("cannot write", self.path, error) }

    func finish() throws {
        try self.pending?.keep(as: try self.followingLinks().path, mode: self.mode)
    }

    /// The file that the path leads to: a symbolic link must not be replaced by a file.
    private func followingLinks() throws -> (path: SystemString, status: FileStatus?) {
        var path = self.path
        do {
            for _ in 0..<40 {
                let status = try System.status(at: path)
                guard status?.kind == .symbolicLink else { return (path, status) }
                // `/dev/stdout` leads to a pipe by a link whose text is no path.
                if let end = Self.end(of: path), end.kind != .regular { return (path, end) }
                let target = try System.linkTarget(path)
                path = target.isAbsolute ? target : path.directory.appending(target)
            }
        } catch {
            throw CommandFailure("cannot use", self.path, error)
        }
        throw CommandFailure(local: "\(self.path) is a symbolic link in a loop of links")
    }
}

extension FileOutput {
    /// The final target of a link, if it exists.
    fileprivate static func end(of path: SystemString) -> FileStatus? {
        let nameOnly = OpenOptions(rawValue: 0x20_0000)  // O_PATH: nothing waits and nothing is truncated
        guard let file = try? System.open(path, nameOnly) else { return nil }
        return try? System.status(of: file.raw)
    }
}

/// A new file or folder in a directory, named after the item. The copy of a file, and everything in a folder, keeps its
/// name, its permissions as far as the umask allows, and its modification time.
final class DirectoryOutput: PasteSink {
    /// For the help of each command that writes files into a directory.
    static let help = """
        The copy of a file keeps the exact name of that file, its permissions as far as the umask allows, and its
        modification time; only '/', control characters and the names '.' and '..' are replaced by '_'. In a name that a
        program suggested, unsafe characters are replaced and the extension of the type is added. No file is replaced:
        if a name is taken, the new one is numbered.
        """

    private let directory: SystemString
    private let isLasting: Bool
    private var pending: PendingFile?
    private var folder: PendingFolder?
    private var name: SafeFileName?
    private var file: FileAttributes?
    private var isNamed = false

    var leavesFile: Bool { true }
    var descriptor: CInt? { self.pending?.raw ?? self.folder?.raw }

    /// - Parameter isLasting: whether the file has to survive a crash of the machine, because the source deletes its own.
    init(directory: SystemString, isLasting: Bool = false) {
        self.directory = directory
        self.isLasting = isLasting
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        self.name = SafeFileName(suggested: suggestedName, file: file, type: type)
        self.isNamed = suggestedName != nil || file?.name != nil
        guard !isArchive else {
            self.folder = try PendingFolder(inDirectory: self.directory)
            return
        }
        self.file = file
        let mode = file?.mode.map { $0 & FileAttributes.permissions } ?? 0o666
        self.pending = try PendingFile(inDirectory: self.directory, mode: mode)
    }

    func write(_ bytes: Span<UInt8>) throws {
        try self.pending?.write(bytes, for: self.name?.candidate(1) ?? self.directory)
        try self.folder?.write(bytes, for: self.name?.candidate(1) ?? self.directory)
    }

    func failure(_ error: SystemError) -> any Error {
        self.folder?.failure(error, for: self.name?.candidate(1) ?? self.directory)
            ?? CommandFailure("cannot write", self.name?.candidate(1) ?? self.directory, error)
    }

    /// Prints the path.
    func finish() throws {
        if let folder, let name {
            let path = try folder.keep(isLasting: self.isLasting) { self.isNamed ? name : SafeFileName(ofFile: $0) }
            return try StandardStreams.print(path: path)
        }
        guard let pending, let name else { return }
        if let file { try pending.setModificationTime(of: file, for: name.candidate(1)) }
        if self.isLasting { try pending.synchronize(for: name.candidate(1)) }
        let path = try pending.keep(as: name)
        if self.isLasting {
            do {
                let directory = try System.open(self.directory, .directory)
                try System.synchronize(directory.raw)
            } catch {
                throw CommandFailure("cannot write", self.directory, error)
            }
        }
        try StandardStreams.print(path: path)
    }
}
