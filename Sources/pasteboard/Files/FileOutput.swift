import PasteboardClient
import PasteboardTransport
import PasteboardWire
import TypeIdentifiers

/// An output file that appears at its path when all bytes are written.
final class FileOutput: PasteSink {
    private let path: SystemString
    private var pending: PendingFile?
    /// The name of the new file in the directory of the final target.
    private var name: SystemString?
    private var special: DescriptorBox?
    private var mode: UInt32?
    /// Whether the new file is a copy of a file, with that file's permissions.
    private var isCopy = false

    /// False for a pipe or device: a write to one may wait for its reader, and a signal has to end the process then.
    var leavesFile: Bool {
        let kind = (try? followingLinks())?.status?.kind
        return kind == nil || kind == .regular
    }

    var descriptor: CInt? { special?.raw ?? pending?.raw }

    init(path: SystemString) {
        self.path = path
    }

    func check(_ type: UniformType, isArchive: Bool) throws {
        let target = try followingLinks()
        // The file has no name; closing it removes it.
        if try fileName(in: target) != nil { _ = try PendingFile(inDirectory: target.path.directory, mode: 0o600) }
    }

    /// The name of a new file in the directory of the target; nil if the target is a device or pipe, which is written
    /// to and not replaced by a file.
    private func fileName(in target: (path: SystemString, status: FileStatus?)) throws -> SystemString? {
        switch target.status?.kind {
        case .directory:
            throw CommandFailure(local: "cannot write \(path), because it is a directory; use --into \(path)")
        case .regular, nil:
            guard let name = target.path.lastComponent, target.path.bytes.last != UInt8(ascii: "/") else {
                throw CommandFailure(local: "cannot create \(path), because it names a directory that does not exist")
            }
            return name
        default:
            return nil
        }
    }

    func begin(_ type: UniformType, isArchive: Bool, suggestedName: String?, file: FileAttributes?) throws {
        let target = try followingLinks()
        name = try fileName(in: target)
        if name != nil {
            // New contents must not run with the set-user-id bit of the old ones.
            self.mode = target.status.map { $0.mode & FileAttributes.permissions }
            // As with cp: a copy of a private key, or of a private folder's archive, must not be readable by others.
            let mode = (file?.copyMode ?? 0o666) & (isArchive ? 0o666 : FileAttributes.permissions)
            isCopy = target.status == nil && file?.mode != nil
            WorkingName.removeLeftovers(in: target.path.directory)
            pending = try PendingFile(inDirectory: target.path.directory, mode: mode)
        } else {
            special = try explaining("cannot open", path) { DescriptorBox(try System.open(path, .writing)) }
        }
    }

    func narrow(to mode: UInt32) throws(SystemError) {
        if isCopy { try pending?.narrow(to: mode) }
    }

    func failure(_ error: SystemError) -> (any Error)? { CommandFailure("cannot write", path, error) }

    func finish() throws -> [SystemString] {
        guard let pending, let name else { return [] }
        // No link is followed again: the file gets its name in the directory that it was created in.
        try pending.keep(as: name, mode: mode)
        return []
    }

    /// As the kernel does where `fs.protected_symlinks` is set: in a directory like `/tmp`, other users can place links
    /// that lead to files of this user.
    private func refuseForeignLink(_ link: FileStatus, at path: SystemString) throws {
        guard link.owner != System.userID else { return }
        let opened = try System.open(path.directory, .nameOnly)
        let directory = try System.status(of: opened.raw)
        guard directory.mode & 0o1002 == 0o1002, directory.owner != link.owner else { return }
        throw CommandFailure(
            local: "cannot use \(self.path), because it is a symbolic link that user \(link.owner) has placed in "
                + "\(path.directory); use another name"
        )
    }

    /// The file that the path leads to: a symbolic link must not be replaced by a file.
    private func followingLinks() throws -> (path: SystemString, status: FileStatus?) {
        var path = self.path
        do {
            for _ in 0..<40 {
                let status = try System.status(at: path)
                guard let status, status.kind == .symbolicLink else { return (path, status) }
                try refuseForeignLink(status, at: path)
                // `/dev/stdout` leads to a pipe by a link whose text is no path.
                if let end = Self.target(of: path), end.kind != .regular { return (path, end) }
                let target = try System.linkTarget(path)
                path = target.isAbsolute ? target : path.directory.appending(target)
            }
        } catch let error as SystemError {
            throw CommandFailure("cannot use", self.path, error)
        }
        throw CommandFailure(local: "cannot use \(self.path), because it is part of a loop of symbolic links")
    }

    /// The final target of a link, if it exists.
    private static func target(of path: SystemString) -> FileStatus? {
        guard let file = try? System.open(path, .nameOnly) else { return nil }
        return try? System.status(of: file.raw)
    }
}
