import CPasteboardSystem
import Glibc
package import PasteboardWire

/// The directory of a broker's kept contents, in a file system in memory: its files outlive every process.
///
/// It is the first of three that exists, is a tmpfs and belongs to this user. Below it there is one directory for each
/// socket. It is never in the directory of the socket, which may be shared with a container.
package final class KeptDirectory: Sendable {
    /// The first letters of the names of its files.
    package enum Prefix {
        /// The description of a board's contents, with their small bytes.
        package static let board = "b-"
        /// A large representation.
        package static let representation = "r-"
        /// A file that is being copied from the disk.
        package static let copied = "d-"
    }

    /// The file that is locked while a broker uses the directory.
    private static let lockName = "lock"
    /// The file with the path of the socket, for people who look at the directory.
    private static let socketName: SystemString = "socket"
    /// A file that is being written. It gets another name when it is complete.
    private static let newName: SystemString = "new"
    /// Exists until the copy on the disk has been read.
    private static let unreadName: SystemString = "unread"
    /// Exists while the copy on the disk has the same contents.
    private static let currentName: SystemString = "current"
    package let path: String
    /// The device of its file system.
    package let device: UInt64
    /// Whether the earlier broker was killed.
    package let wasLeft: Bool
    private let descriptor: OwnedDescriptor
    private let lock: LockFile

    package var raw: CInt { descriptor.raw }

    // MARK: Where it is

    /// A directory with one for each socket, and whether its parent has to belong to this user.
    private struct Candidate {
        let parent: String
        let name: String
        let isOwn: Bool

        var path: String { "\(parent)/\(name)" }
    }

    private static func candidates(for socket: SocketPath) -> [Candidate] {
        let user = System.userID
        let runtime = System.environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let all = [
            runtime.map { Candidate(parent: $0, name: "pasteboard.kept", isOwn: true) },
            Candidate(parent: "/run/user/\(user)", name: "pasteboard.kept", isOwn: true),
            Candidate(parent: "/dev/shm", name: "pasteboard-\(user).kept", isOwn: false),
        ]
        let shared = canonical(socket.directory)
        return all.compactMap(\.self).filter { candidate in
            let parent = canonical(candidate.parent)
            return parent != shared && !parent.hasPrefix("\(shared)/") && isInMemory(candidate)
        }
    }

    /// If the system opens nothing now, the directory is not taken for a missing one, whose contents would come back
    /// later.
    private static func isInMemory(_ candidate: Candidate) -> Bool {
        do throws(SystemError) {
            let parent = try System.open("\(candidate.parent)/.", .directory)
            let isOwn = try System.status(of: parent.raw).owner == System.userID
            return try System.fileSystem(of: parent.raw).isMemory && (isOwn || !candidate.isOwn)
        } catch {
            return error.shortage != nil
        }
    }

    private static func canonical(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// The name of the directory of a socket: a hash of its path.
    package static func name(for socket: SocketPath) -> String {
        let last = socket.path.split(separator: "/").last ?? ""
        return hash("\(canonical(socket.directory))/\(last)")
    }

    /// A number for a text, in hexadecimal digits.
    package static func hash(_ text: String) -> String { String(number(of: text), radix: 16) }

    /// A number for a text: FNV-1a with 64 bits.
    package static func number(of text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Whether an open file is one of such a directory, of any socket.
    package static func contains(_ descriptor: CInt) -> Bool {
        guard let path = try? System.linkTarget("/proc/self/fd/\(descriptor)").description else { return false }
        return ["/pasteboard.kept/", "/pasteboard-\(System.userID).kept/"].contains(where: path.contains)
    }

    /// The path of the directory of a socket, which may not exist yet; nil if there is no file system for it.
    package static func path(for socket: SocketPath) -> String? {
        candidates(for: socket).first.map { "\($0.path)/\(name(for: socket))" }
    }

    /// Whether a broker that starts now would find contents there, or the system cannot tell.
    package static func hasContents(for socket: SocketPath) -> Bool {
        guard let path = path(for: socket) else { return false }
        do throws(SystemError) {
            let directory = try System.open(path, [.directory, .notFollowingLinks])
            return try System.entries(of: directory.raw).contains { $0.description.hasPrefix(Prefix.board) }
        } catch {
            return error.shortage != nil
        }
    }

    /// Removes the directory of a socket whose broker has ended and does not come back.
    package static func remove(for socket: SocketPath) {
        guard let path = path(for: socket), let lock = try? LockFile("\(path)/\(lockName)") else { return }
        removeAll(at: path)
        _ = consume lock
        try? System.removeDirectory(path)
    }

    /// Opens the directory of a socket, which is created if it is missing, and locks it.
    ///
    /// - Throws: a `Failure` if no file system is there for it, or another broker uses it.
    package convenience init(for socket: SocketPath) throws(Failure) {
        guard let candidate = Self.candidates(for: socket).first else {
            let text = "none of XDG_RUNTIME_DIR, /run/user/\(System.userID) and /dev/shm is a tmpfs that can be used"
            throw Failure(.noSpace, text)
        }
        try self.init(in: candidate.path, for: socket)
    }

    /// Opens the directory of a socket below `base`, which is created if it is missing, and locks it.
    package init(in base: String, for socket: SocketPath) throws(Failure) {
        do throws(SystemError) {
            _ = try Self.openOwn(base)
            path = "\(base)/\(Self.name(for: socket))"
            descriptor = try Self.openOwn(path)
            device = try System.status(of: descriptor.raw).device
            wasLeft = try System.status(at: SystemString(Self.lockName), in: descriptor.raw) != nil
            guard let lock = try LockFile("\(path)/\(Self.lockName)") else {
                throw SystemError(call: "lock", errno: EBUSY, subject: "\(path), which another broker uses")
            }
            self.lock = lock
            if try System.status(at: Self.socketName, in: descriptor.raw) == nil {
                _ = try System.create(Self.unreadName, in: descriptor.raw, mode: 0o600)
            }
        } catch {
            throw Failure(.noSpace, "\(error)")
        }
        _ = try? write(Array(socket.path.utf8).span, as: Self.socketName)
    }

    /// Opens a directory of this user, which nobody else may enter.
    private static func openOwn(_ path: String) throws(SystemError) -> OwnedDescriptor {
        do throws(SystemError) {
            try System.makeDirectory(path)
        } catch {
            if error.errno != EEXIST { throw error }
        }
        let opened = try System.open(path, [.directory, .notFollowingLinks])
        let status = try System.status(of: opened.raw)
        guard status.owner == System.userID, try System.fileSystem(of: opened.raw).isMemory else {
            throw SystemError(
                call: "use",
                errno: EPERM,
                subject: "\(path), which is not a tmpfs directory of this user"
            )
        }
        if status.mode & 0o077 != 0 { try System.setMode(0o700, of: opened.raw) }
        return opened
    }

    private static func removeAll(at path: String) {
        guard let directory = try? System.open(path, [.directory, .notFollowingLinks]) else { return }
        for name in (try? System.entries(of: directory.raw)) ?? [] where name.description != lockName {
            try? System.unlink(name, in: directory.raw)
        }
    }

    // MARK: Its files

    /// The names of the files with contents, each of which begins with one of `Prefix`.
    package func names() throws(SystemError) -> [SystemString] {
        try System.entries(of: raw).filter { $0.bytes.dropFirst().first == UInt8(ascii: "-") }
    }

    /// Opens a file of this user in a directory for reading; throws `EPERM` if something else is there.
    package static func open(
        _ name: SystemString,
        in directory: CInt
    ) throws(SystemError) -> (file: DescriptorBox, size: UInt64) {
        // Without this option, the call waits until a FIFO has a writer.
        let options: OpenOptions = [.reading, .notFollowingLinks, .nonBlocking]
        let file = DescriptorBox(try System.open(name, in: directory, options))
        let status = try System.status(of: file.raw)
        guard status.kind == .regular, status.owner == System.userID else {
            throw SystemError(call: "open", errno: EPERM, subject: "\(name), which is not a file of this user")
        }
        return (file, status.size)
    }

    /// Creates a file that has no name yet, for reading and writing.
    package func makeFile() throws(SystemError) -> MemoryFile { try MemoryFile(unnamedIn: raw) }

    package func link(_ file: DescriptorBox, as name: SystemString) throws(SystemError) {
        try System.link(file.raw, to: name, in: raw)
    }

    /// Writes a file, entirely or not at all, in place of an earlier one.
    ///
    /// - Returns: the file, open for reading.
    @discardableResult
    package func write(_ bytes: Span<UInt8>, as name: SystemString) throws(SystemError) -> DescriptorBox {
        do throws(SystemError) {
            remove(Self.newName)
            let file = DescriptorBox(
                try System.open(Self.newName, in: raw, [.readingAndWriting, .exclusive, .notFollowingLinks])
            )
            try System.write(bytes, to: file.raw)
            try rename(Self.newName, to: name)
            return file
        } catch {
            remove(Self.newName)
            throw error
        }
    }

    package func rename(_ old: SystemString, to new: SystemString) throws(SystemError) {
        try System.rename(old, in: raw, to: new, in: raw)
    }

    package func remove(_ name: SystemString) {
        try? System.unlink(name, in: raw)
    }

    /// The relation of the contents here to the copy of them on the disk.
    package enum CopyState: Sendable {
        /// The copy has not been read: the directory is new.
        case unread
        /// The copy has the same contents.
        case current
        /// Contents were written or cleared since, so that the copy must not be read again.
        case changed
    }

    package var copyState: CopyState {
        // If that cannot be determined, earlier contents must not come back.
        func exists(_ name: SystemString) -> Bool { (try? System.status(at: name, in: raw)) != nil }
        return exists(Self.unreadName) ? .unread : exists(Self.currentName) ? .current : .changed
    }

    /// Changes the relation to the copy. The change to `changed` needs no room in the file system, and cannot fail.
    package func setCopyState(_ state: CopyState) {
        switch state {
        case .unread: break
        case .current:
            if (try? rename(Self.unreadName, to: Self.currentName)) == nil {
                _ = try? System.create(Self.currentName, in: raw, mode: 0o600)
            }
        case .changed: for name in [Self.currentName, Self.unreadName] { remove(name) }
        }
    }

    /// The bytes that can be kept without taking the eighth of the file system that is left to the user's other
    /// programs.
    package var room: UInt64 {
        guard let all = try? System.fileSystem(of: raw) else { return 0 }
        // A file system without a limit reports a size of 0.
        guard all.total > 0 else { return .max }
        return all.free - min(all.free, all.total / 8)
    }
}

extension System {
    /// The size of the file system of an open file, what is free of it for this user, and whether it is a tmpfs.
    package static func fileSystem(
        of descriptor: CInt
    ) throws(SystemError) -> (total: UInt64, free: UInt64, isMemory: Bool) {
        var room = pbs_room()
        _ = try call("fstatfs", "descriptor \(descriptor)") { pbs_file_system(descriptor, &room) }
        return (room.total, room.free, room.is_memory != 0)
    }

    /// Whether a process has the file open for writing.
    package static func hasWriter(_ descriptor: CInt) -> Bool { pbs_has_writer(descriptor) != 0 }
}
